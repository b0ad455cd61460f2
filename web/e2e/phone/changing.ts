import { createServer, request, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { World } from "../harness";

/**
 * A door to a world whose pages change: behind it the next build of the UI can be
 * had without building one. The socket of a session does not come through.
 */
export class ChangingDoor {
  /** The UI is another build now. */
  next = false;
  /** The server has no files of builds any more. */
  bare = false;
  readonly #server: Server;

  private constructor(server: Server, world: World) {
    this.#server = server;
    server.on("request", (req, res) => {
      const headers = { ...req.headers, host: new URL(world.url).host, "accept-encoding": "identity" };
      if (headers.origin) headers.origin = world.url;
      if (this.bare && req.url?.startsWith("/assets/")) return void res.writeHead(404).end();
      req.pipe(
        request(
          `${world.direct}${req.url}`,
          { method: req.method, headers },
          (answer) =>
            void this.#pass(answer, req.url ?? "").then(
              ({ status, headers, body }) => res.writeHead(status, headers).end(body),
              () => res.destroy(),
            ),
        ).on("error", () => res.destroy()),
      );
    });
  }

  static async open(world: World): Promise<ChangingDoor> {
    const door = new ChangingDoor(createServer(), world);
    await new Promise<void>((done) => door.#server.listen(0, "127.0.0.1", done));
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #pass(
    answer: IncomingMessage,
    path: string,
  ): Promise<{ status: number; headers: IncomingMessage["headers"]; body: Buffer }> {
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    let body = Buffer.concat(parts);
    const { etag: _, "content-length": __, "transfer-encoding": ___, ...headers } = answer.headers;
    headers["cache-control"] = "no-store"; // only the service worker keeps anything
    const names = /(<meta name="build" content="|__BUILD__=")\w+/;
    if (this.next && (path === "/sw.js" || headers["content-type"]?.startsWith("text/html"))) {
      body = Buffer.from(
        body
          .toString("utf8")
          .replace(names, "$1thenextbuild")
          .replace(/__FILES__=\[.*?\]/, "__FILES__=[]"),
      ); // files of other names
    }
    return { status: answer.statusCode ?? 502, headers, body };
  }
}
