import { Allowance } from "./allowance";
import { isObject, tooLarge } from "./message";
import { soon } from "./soon";

/*
 * The host's side of MCP Apps (2026-01-26): a page of a tool server in a frame speaks
 * JSON-RPC with the page around it. It is a stranger's program. It is known by its
 * window, never by its origin, which has no name, and everything it asks for is checked
 * here or by the server.
 */

const protocolVersion = "2026-01-26";

/** What a page may ask for. A refusal is an Error whose message it may read. */
export interface AppHost {
  /** The page is ready to be told its call. */
  ready?(): void;
  context(): Record<string, unknown>;
  callTool(name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Says something to the window's agent in the person's name. */
  say(text: string): Promise<void>;
  openLink(url: URL): Promise<void>;
  /** Whether the person is in the frame: only then, or if they are in a moment, may it speak for them. */
  hasFocus(): boolean;
}

/** The call whose result the page shows. */
export interface ShownCall {
  input: unknown;
  result: unknown;
}

export interface Bridge {
  /** Tells the page that its surroundings changed, such as the theme. */
  changed(): void;
  /** Lets the page finish, and stops listening. */
  close(): Promise<void>;
}

type Id = string | number;
interface Heard {
  id?: Id;
  method?: string;
  params: Record<string, unknown>;
}

const codes = { noMethod: -32601, badParams: -32602, refused: -32000 };
const teardownMs = 500;

class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Listens to a frame until the bridge is closed. */
export function connectApp(view: Window, call: ShownCall, host: AppHost, allowance = new Allowance()): Bridge {
  const personIn = soon(host.hasFocus);
  let ready = false;
  let finished: (() => void) | undefined;
  const post = (message: object) => view.postMessage({ jsonrpc: "2.0", ...message }, "*"); // its origin has no name
  const answer = (id: Id, work: Promise<unknown>) =>
    void work.then(
      (result) => post({ id, result: result ?? {} }),
      (e: unknown) =>
        post({
          id,
          error: {
            code: e instanceof Refusal ? e.code : codes.refused,
            message: e instanceof Error ? e.message : "refused",
          },
        }),
    );

  const requests: Record<string, (params: Record<string, unknown>) => Promise<unknown>> = {
    "ui/initialize": async () => ({
      protocolVersion,
      hostInfo: { name: "clew", version: "1" },
      hostCapabilities: { openLinks: {}, serverTools: {}, logging: {} },
      hostContext: host.context(),
    }),
    ping: async () => ({}),
    "tools/call": async (p) => {
      if (typeof p.name !== "string" || !isObject(p.arguments ?? {}))
        throw new Refusal(codes.badParams, "tools/call needs a name and arguments");
      return host.callTool(p.name, (p.arguments ?? {}) as Record<string, unknown>);
    },
    "ui/message": async (p) => {
      const text = textOf(p.content);
      if (text === "") throw new Refusal(codes.badParams, "ui/message needs text");
      if (!(await personIn.ask())) throw new Refusal(codes.refused, "the person is not in this window");
      await host.say(text);
    },
    "ui/open-link": async (p) => {
      const url = typeof p.url === "string" && URL.canParse(p.url) ? new URL(p.url) : null;
      if (!url || !["https:", "http:"].includes(url.protocol))
        throw new Refusal(codes.badParams, "ui/open-link needs an address of the web");
      if (!(await personIn.ask())) throw new Refusal(codes.refused, "the person is not in this window");
      await host.openLink(url);
    },
    "ui/request-display-mode": async () => ({ mode: "inline" }),
  };
  const counted = new Set(["tools/call", "ui/message", "ui/open-link"]);

  const listen = (e: MessageEvent<unknown>) => {
    if (e.source !== view) return;
    const heard = read(e.data);
    if (!heard) return;
    const { id, method, params } = heard;
    if (method === undefined) {
      if (id === "teardown") finished?.();
    } else if (id === undefined) {
      if (method !== "ui/notifications/initialized" || ready) return;
      ready = true;
      host.ready?.();
      post({ method: "ui/notifications/tool-input", params: { arguments: call.input ?? {} } });
      post({ method: "ui/notifications/tool-result", params: call.result });
    } else if (!Object.hasOwn(requests, method)) {
      answer(id, Promise.reject(new Refusal(codes.noMethod, `${method.slice(0, 80)} is not offered here`)));
    } else if (counted.has(method) && !ready) {
      answer(id, Promise.reject(new Refusal(codes.refused, "not initialized yet")));
    } else if (counted.has(method) && !allowance.take(Date.now())) {
      answer(id, Promise.reject(new Refusal(codes.refused, "too many requests; wait a minute")));
    } else {
      answer(id, requests[method]!(params));
    }
  };
  addEventListener("message", listen);
  return {
    changed() {
      if (ready) post({ method: "ui/notifications/host-context-changed", params: host.context() });
    },
    async close() {
      personIn.close();
      if (ready) {
        const answered = new Promise<void>((done) => (finished = done));
        post({ id: "teardown", method: "ui/resource-teardown", params: { reason: "the window is closing" } });
        await Promise.race([answered, new Promise((done) => setTimeout(done, teardownMs))]);
      }
      removeEventListener("message", listen);
    },
  };
}

/** Takes a message apart, null if it is none or too large. */
function read(data: unknown): Heard | null {
  if (!isObject(data) || data.jsonrpc !== "2.0" || tooLarge(data)) return null;
  const { id, method, params } = data;
  if (id !== undefined && typeof id !== "string" && typeof id !== "number") return null;
  if (method !== undefined && typeof method !== "string") return null;
  return {
    ...(id === undefined ? {} : { id }),
    ...(method === undefined ? {} : { method }),
    params: isObject(params) ? params : {},
  };
}

/** The words of a message: a block of text or several. */
function textOf(content: unknown): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks
    .flatMap((b) => (isObject(b) && b.type === "text" && typeof b.text === "string" ? [b.text] : []))
    .join("\n")
    .trim();
}
