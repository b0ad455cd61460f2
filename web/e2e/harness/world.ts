import { execFile } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Rest } from "../../../sdk/typescript/src/rest";
import { Line } from "./line";
import { Model } from "./model";
import { Program } from "./process";
import { until } from "./until";

export interface WorldOptions {
  /** Settings of agents and tools; docs/settings.md. */
  settings?: Record<string, unknown>;
  /** Further variables of the server's environment. */
  env?: Record<string, string>;
}

/** The programs that a world is made of. */
export interface Programs {
  clew: string;
  webmodel: string;
}

/** Rates would be reached at once by a test; the rest is the server as it is shipped. */
const usual = {
  CLEW_LIMITS_CONNECTS_PER_MINUTE: "0",
  CLEW_LIMITS_LOCAL_CONNECTS_PER_MINUTE: "0",
  CLEW_LIMITS_MESSAGES_PER_MINUTE: "0",
  CLEW_LIMITS_HITL_PER_MINUTE: "0",
  CLEW_LIMITS_REQUESTS_PER_MINUTE: "0",
  CLEW_LOG_LEVEL: "warn",
  CLEW_SECRETS_BACKEND: "file",
  CLEW_SECRET_WEB_KEY: "sk-web-0123456789",
};

/** A server with a scripted model and a line to it that can be cut. */
export class World {
  readonly model: Model;
  readonly line: Line;
  /** As the owner, past the line: it works while the browser's is cut. */
  readonly rest: Rest;
  token = "";
  readonly #programs: Programs;
  /** Where everything of this world is. */
  readonly dir: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #target: { port: number };
  #server: Program | undefined;
  #said = ""; // by the servers before this one
  #sessions = 0;

  private constructor(
    programs: Programs,
    dir: string,
    model: Model,
    line: Line,
    env: NodeJS.ProcessEnv,
    target: { port: number },
  ) {
    this.#programs = programs;
    this.dir = dir;
    this.model = model;
    this.line = line;
    this.#env = env;
    this.#target = target;
    this.rest = new Rest({
      baseUrl: "",
      token: async () => this.token,
      fetch: (url, init) => fetch(this.direct + String(url), init),
    });
  }

  static async start(programs: Programs, options: WorldOptions = {}): Promise<World> {
    const dir = await mkdtemp(join(tmpdir(), "clew-web-"));
    const model = await Model.start(programs.webmodel);
    const target = { port: await freePort() };
    const line = await Line.open(() => target.port);
    const settings = join(dir, "settings.json");
    await writeFile(settings, JSON.stringify(settingsOf(model.url, options.settings)));
    const env = {
      ...inherited(),
      ...usual,
      CLEW_SETTINGS: settings,
      CLEW_HOSTS: new URL(line.url).host,
      CLEW_ORIGINS: line.url,
      ...options.env,
    };
    const world = new World(programs, dir, model, line, env, target);
    await world.#spawn();
    world.token = (await readFile(join(dir, "data/token"), "utf8")).trim();
    return world;
  }

  /** Where browsers find it. */
  get url(): string {
    return this.line.url;
  }

  /** The server itself, past the line. */
  get direct(): string {
    return `http://127.0.0.1:${this.#target.port}`;
  }

  /** What the server wrote. */
  get log(): string {
    return this.#said + (this.#server?.output ?? "");
  }

  /** The directory of a session's files. */
  workspace(session: string): string {
    return join(this.dir, "work", session);
  }

  /** Kills the server -9. */
  async kill9(): Promise<void> {
    this.line.everBad = true;
    await this.#server?.kill();
  }

  /** Starts the server again, on the same port and data. */
  async restart(): Promise<void> {
    await this.kill9();
    await this.#spawn();
  }

  /** SIGSTOP: the server's machine hangs; its connections stay open. */
  freeze(): void {
    this.line.everBad = true;
    this.#server?.signal("SIGSTOP");
  }

  thaw(): void {
    this.#server?.signal("SIGCONT");
  }

  async stop(): Promise<void> {
    await this.line.close();
    await this.#server?.kill();
    await this.model.stop();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
    const broke = /^(panic:|fatal error:|WARNING: DATA RACE).*/m.exec(this.log);
    if (broke) throw new Error(`the server broke:\n${this.log.slice(broke.index, broke.index + 4000)}`);
  }

  /** Makes a session with files in its workspace. */
  async session(title = "A test", files: Record<string, string> = {}): Promise<string> {
    const id = `s${++this.#sessions}-${Math.random().toString(36).slice(2, 8)}`;
    const dir = this.workspace(id);
    await mkdir(dir, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text);
    }
    return (await this.rest.sessions.create({ session_id: id, title, workspace: dir })).session_id;
  }

  /** Says something to a session's agent by REST. */
  async say(session: string, text: string, more: { mode?: "run"; delivery?: "steer" | "queue" } = {}): Promise<void> {
    await this.rest.sessions.command(session, "user_message", { text, ...more });
  }

  /** As say, in a task of its own: the model hears nothing of what was before. */
  async task(session: string, text: string): Promise<void> {
    await this.rest.sessions.command(session, "new_task", { text });
  }

  /** Runs a command of clew against the server, as the owner. */
  async command(...args: string[]): Promise<string> {
    const done = await promisify(execFile)(
      this.#programs.clew,
      [...args, "--server", this.direct, "--data", join(this.dir, "data")],
      { env: this.#env },
    );
    return done.stdout;
  }

  /** Waits until the agent has nothing to do: idle, or a question to a person. */
  async settled(session: string, withinMs?: number): Promise<void> {
    await until(
      `${session} settled`,
      async () => !["executing", "planning"].includes((await this.rest.sessions.get(session)).status),
      withinMs,
    );
  }

  /** The open question of a session. */
  async question(session: string): Promise<string> {
    return until(
      `a question of ${session}`,
      async () =>
        (await this.rest.inbox.list({ limit: 100 })).items.find((i) => i.session_id === session)?.question.request_id,
    );
  }

  async #spawn(): Promise<void> {
    this.#said = this.log;
    this.#server = undefined;
    const args = ["serve", "--listen", `127.0.0.1:${this.#target.port}`, "--data", join(this.dir, "data")];
    this.#server = (await Program.start(this.#programs.clew, args, this.#env)).program;
  }
}

function settingsOf(model: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    model_profile: "web",
    model_profiles: {
      web: {
        provider: "anthropic",
        model: "web-1",
        base_url: model,
        key_name: "web_key",
        thinking: "low",
        max_tokens: 8192,
        price_in: 3,
        price_out: 15,
        context_window: 200_000,
      },
    },
    // A call of the scripted model costs nothing, so one that a crash cut off is
    // made again unasked.
    model_crash_retry: "auto",
    auto_approval_enabled: true,
    always_allow_read_only: true,
    always_allow_write: true,
    command_sandbox: "none",
    ...more,
  };
}

/** The environment without what clew and its providers read. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CLEW|ANTHROPIC|OPENAI)_/.test(name)));
}

/**
 * A port below those that the system gives to clients: one that looks for a
 * server that is away could get its port for itself.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const server = createServer();
    const free = await new Promise<boolean>((done) => {
      server.once("error", () => done(false));
      server.listen(port, "127.0.0.1", () => done(true));
    });
    if (!free) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
}
