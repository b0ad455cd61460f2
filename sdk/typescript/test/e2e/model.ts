import { setImmediate as turn } from "node:timers/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface ChatMessage {
  role: string;
  content: unknown;
}

/** What the model does: pieces of text, or one tool call. A text may be held after some pieces. */
export type Reply =
  | { pieces: string[]; held?: { after: number; until: Promise<void> } }
  | { tool: string; input: unknown };

/** Holds answers of the model in the middle until it is opened. */
export class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((done) => (this.open = done));
}

/**
 * A model that speaks the Chat Completions API and says what it is told to. It
 * knows what was said last by a person, and whether a tool answered since.
 */
export class Model {
  readonly #server: Server;
  answer: (text: string, afterTool: boolean) => Reply;

  private constructor(server: Server, answer: Model["answer"]) {
    this.#server = server;
    this.answer = answer;
  }

  static async start(answer: Model["answer"]): Promise<Model> {
    const server = createServer();
    const model = new Model(server, answer);
    server.on("request", (req: IncomingMessage, res: ServerResponse) => void model.#serve(req, res));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return model;
  }

  /** The settings of a server that uses this model. */
  settings(more: Record<string, unknown> = {}): Record<string, unknown> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      model_profile: "test",
      model_profiles: {
        test: {
          provider: "openai",
          model: "test-1",
          base_url: `http://127.0.0.1:${port}/v1`,
          price_in: 3,
          price_out: 15,
          context_window: 1_000_000,
        },
      },
      command_sandbox: "none",
      ...more,
    };
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of req) body += String(chunk);
    const { messages } = JSON.parse(body) as { messages: ChatMessage[] };
    const said = messages.filter((m) => m.role === "user").at(-1);
    const reply = this.answer(textOf(said?.content), messages.at(-1)?.role === "tool");
    res.writeHead(200, { "Content-Type": "text/event-stream" });
    const send = (choice: Record<string, unknown>): void => {
      const chunk = {
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "test-1",
        choices: [{ index: 0, ...choice }],
      };
      res.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    if ("tool" in reply) {
      const call = {
        index: 0,
        id: `call_${Math.random().toString(36).slice(2)}`,
        type: "function",
        function: { name: reply.tool, arguments: JSON.stringify(reply.input) },
      };
      send({ delta: { role: "assistant", tool_calls: [call] } });
      send({ delta: {}, finish_reason: "tool_calls" });
    } else {
      for (const [i, piece] of reply.pieces.entries()) {
        if (reply.held?.after === i) await reply.held.until;
        if (res.destroyed) return;
        send({ delta: { role: "assistant", content: piece } });
        await turn(); // each piece goes out by itself
      }
      send({ delta: {}, finish_reason: "stop" });
    }
    res.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "test-1", choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}\n\n`,
    );
    res.end("data: [DONE]\n\n");
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map((p) => p.text ?? "").join("");
}
