import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A model server on this machine that speaks as Ollama does, and an API with keys: it
 * answers by the scripted model, and refuses every key but `key`.
 */
export class ModelServer {
  /** Until then it is not there for those who look for model servers. */
  shown = false;
  /** The scripted model. */
  behind = "";
  key = "";
  /** The keys that came, in order. */
  readonly keys: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (req: IncomingMessage, res: ServerResponse) => this.#answer(req, res));
  }

  static async start(): Promise<ModelServer> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return new ModelServer(server);
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    const json = (status: number, body: unknown) =>
      res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (req.url!.startsWith("/api/") && !this.shown) return void json(404, {});
    switch (req.url) {
      case "/api/version":
        return void json(200, { version: "0.12.0" });
      case "/api/tags":
        return void json(200, { models: [{ name: "qwen3:8b" }] });
      case "/api/ps":
        return void json(200, { models: [] });
      case "/api/show":
        return void json(200, {
          capabilities: ["completion", "tools"],
          model_info: { "qwen3.context_length": 40_960 },
        });
    }
    const key = req.headers.authorization?.replace("Bearer ", "") ?? "";
    this.keys.push(key);
    if (this.key !== "" && key !== this.key) {
      return void json(401, {
        error: {
          message: "Incorrect API key provided",
          type: "invalid_request_error",
          param: null,
          code: "invalid_api_key",
        },
      });
    }
    const onward = request(
      this.behind + req.url,
      {
        method: req.method,
        headers: {
          ...req.headers,
          authorization: req.headers.authorization ?? "Bearer none",
          host: new URL(this.behind).host,
        },
      },
      (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      },
    );
    onward.on("error", () => res.destroy());
    req.pipe(onward);
  }
}
