import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { WebSocket } from "ws";
import { ClewClient, type ClewOptions, type SocketClass } from "../../src/index.js";

/** The rates are off: a test would reach them at once. */
const usual = {
  CLEW_LIMITS_CONNECTS_PER_MINUTE: "0",
  CLEW_LIMITS_LOCAL_CONNECTS_PER_MINUTE: "0",
  CLEW_LIMITS_MESSAGES_PER_MINUTE: "0",
  CLEW_LIMITS_HITL_PER_MINUTE: "0",
  CLEW_LIMITS_REQUESTS_PER_MINUTE: "0",
  CLEW_LOG_LEVEL: "warn",
  CLEW_SECRETS_BACKEND: "file",
};

export interface ServerOptions {
  env?: Record<string, string>;
  settings?: Record<string, unknown>;
  demo?: boolean;
}

/** The real program on one directory and one port over all its lives. */
export class Server {
  readonly port: number;
  readonly dir: string;
  output = "";
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;
  #gone: Promise<void> = Promise.resolve();

  private constructor(port: number, dir: string, options: ServerOptions) {
    this.port = port;
    this.dir = dir;
    this.#options = options;
  }

  static async start(options: ServerOptions = {}): Promise<Server> {
    const dir = mkdtempSync(join(tmpdir(), "clew-sdk-data-"));
    const server = new Server(await freePort(), dir, options);
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get data(): string {
    return join(this.dir, "data");
  }

  get token(): string {
    return readFileSync(join(this.data, "token"), "utf8").trim();
  }

  async start(): Promise<void> {
    const { env = {}, settings, demo } = this.#options;
    const clean = Object.fromEntries(Object.entries(process.env).filter(([k]) => !/^(CLEW|ANTHROPIC|OPENAI)_/.test(k)));
    const all: Record<string, string | undefined> = { ...clean, ...usual, ...env };
    if (settings) {
      all.CLEW_SETTINGS = join(this.dir, "settings.json");
      writeFileSync(all.CLEW_SETTINGS, JSON.stringify(settings));
    }
    const args = demo ? ["demo", "--fast", "--no-open", "--json"] : ["serve"];
    const child = spawn(inject("program"), [...args, "--listen", `127.0.0.1:${this.port}`, "--data", this.data], {
      env: all,
    });
    this.#child = child;
    this.#gone = new Promise((done) => child.once("exit", () => done()));
    const collect = (b: Buffer): void => {
      this.output = (this.output + b.toString()).slice(-20_000);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    await this.#ready();
  }

  async #ready(): Promise<void> {
    let gone = false;
    void this.#gone.then(() => (gone = true));
    for (const end = Date.now() + 60_000; Date.now() < end && !gone;) {
      const ok = await fetch(`${this.url}/readyz`).then(
        (r) => r.ok,
        () => false,
      );
      if (ok) return;
      await new Promise((r) => setTimeout(r, 20));
    }
    throw new Error(`the server is not ready:\n${this.output}`);
  }

  /** kill -9; returns when it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#gone;
  }

  /** Ends it and removes its directory. */
  async end(): Promise<void> {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }

  client(options: ClewOptions = {}): ClewClient {
    return new ClewClient({
      baseUrl: this.url,
      token: this.token,
      WebSocket: WebSocket as unknown as SocketClass,
      ...options,
    });
  }
}

/**
 * A port below those that the system gives to clients: one that looks for a
 * server that is away could get its port for itself.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const s = createServer();
    const free = await new Promise<boolean>((done) => {
      s.once("error", () => done(false));
      s.listen(port, "127.0.0.1", () => done(true));
    });
    if (!free) continue;
    await new Promise((done) => s.close(done));
    return port;
  }
}
