import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AskEvent, AskOptions, AskResult, Session } from "../../src/index.js";
import { Gate, Model } from "./model.js";
import { Server } from "./server.js";

const slow = ["one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight"];

/** Asks, and writes what came of it in lines; pieces of one message are one line. */
async function follow(
  s: Session,
  text: string,
  options: AskOptions = {},
  at: (e: AskEvent) => unknown = () => {},
): Promise<{ lines: string[]; result?: AskResult }> {
  const lines: string[] = [];
  const places = new Map<string, number>();
  let result: AskResult | undefined;
  for await (const e of s.ask(text, options)) {
    if (e.type === "text") {
      const place = places.get(e.messageId);
      if (place !== undefined && !e.again) lines[place] += e.text;
      else places.set(e.messageId, lines.push(e.text) - 1);
    } else if (e.type === "tool") lines.push(`[${e.tool.name} ${e.tool.target} ${e.tool.status}]`);
    else if (e.type === "question") lines.push(`[${e.question.type}]`);
    else result = e;
    await at(e);
  }
  return { lines, result };
}

describe("ask", () => {
  let model: Model;
  let server: Server;
  let gate = new Gate();
  const fresh = async (options = {}): Promise<Session> => {
    const client = server.client(options);
    const { session_id } = await client.rest.sessions.create({});
    return client.session(session_id);
  };

  /** Runs an example with the client as it is here. */
  const example = async (name: string, ...args: string[]): Promise<ChildProcessWithoutNullStreams> => {
    const file = join(server.dir, basename(name));
    const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
    await build({
      entryPoints: [at(`../../examples/${name}`)],
      bundle: true,
      format: "esm",
      platform: "node",
      alias: { "@clew-run/client": at("src/index.ts") },
      external: ["ws"],
      outfile: file,
      logLevel: "error",
    });
    return spawn(process.execPath, [file, ...args], { env: { ...process.env, URL: server.url, TOKEN: server.token } });
  };

  beforeAll(async () => {
    model = await Model.start((text, afterTool) => {
      if (text.includes("Run it"))
        return afterTool ? { pieces: ["It ran."] } : { tool: "execute_command", input: { command: "echo noise" } };
      if (text.includes("component_action")) return { pieces: ["Thank you."] };
      const wanted = /Open this window[^{]*(\{.*\})/.exec(text);
      if (wanted)
        return afterTool ? { pieces: ["It is open."] } : { tool: "window", input: JSON.parse(wanted[1]!) as unknown };
      if (text.includes("slowly")) return { pieces: slow, held: { after: 3, until: gate.opened } };
      if (text.includes("for ever"))
        return { pieces: ["I wait.", " and"], held: { after: 1, until: new Gate().opened } };
      return { pieces: ["Hello ", "to you."] };
    });
    server = await Server.start({ settings: model.settings({ model_crash_retry: "auto" }) });
  });
  afterAll(async () => {
    await server.end();
    await model.end();
  });

  test("it yields text, calls, questions and the result, and disconnects what it connected", async () => {
    const s = await fresh();
    const { lines, result } = await follow(s, "Run it", { onQuestion: () => ({ action: "approve" }) });
    expect(lines).toEqual([
      "[hitl_approval_request]",
      "[execute_command echo noise running]",
      "[execute_command echo noise complete]",
      "It ran.",
    ]);
    expect(result).toMatchObject({
      answer: "It ran.",
      outcome: { status: "done" },
      usage: { tokens_in: 20, tokens_out: 10 },
    });
    expect(s.connection.state).toBe("disconnected");
    const again = await follow(s, "Hello");
    expect(again).toMatchObject({
      lines: ["Hello to you."],
      result: { answer: "Hello to you.", usage: { tokens_in: 10, tokens_out: 5 } },
    });
  });

  test("a server that is killed at a question and in the middle of a text changes nothing", async () => {
    const s = await fresh({ retry: { initialDelayMs: 20, maxDelayMs: 100, maxRetries: 1000 } });
    const restart = async (): Promise<void> => {
      await server.kill();
      await server.start();
    };
    const first = await follow(s, "Run it", {}, async (e) => {
      if (e.type !== "question") return;
      await restart();
      await e.answer({ action: "approve" });
    });
    expect(first.lines).toEqual([
      "[hitl_approval_request]",
      "[execute_command echo noise running]",
      "[execute_command echo noise complete]",
      "It ran.",
    ]);
    let killed = false;
    gate = new Gate();
    const second = await follow(s, "Speak slowly", {}, async (e) => {
      if (e.type !== "text" || killed) return;
      killed = true;
      await restart();
      gate.open();
    });
    expect(second.result).toMatchObject({ answer: slow.join(""), outcome: { status: "done" } });
    expect(second.lines.at(-1)).toBe(slow.join(""));
  });

  test("leaving the loop leaves the work alone, unless it is to be cancelled", async () => {
    const s = await fresh();
    const last = async (): Promise<unknown> => (await server.client().rest.sessions.tasks(s.id)).tasks.at(-1);
    for await (const _ of s.ask("Wait for ever")) break;
    expect(await last()).toMatchObject({ status: "active" });
    await server.client().rest.sessions.command(s.id, "control_cancel", {});
    for await (const _ of s.ask("Wait for ever", { cancelOnExit: true })) break;
    expect(await last()).toMatchObject({ status: "aborted" });
    const abort = new AbortController();
    const why = new Error("enough");
    await expect(
      follow(s, "Wait for ever", { signal: abort.signal, cancelOnExit: true }, () => abort.abort(why)),
    ).rejects.toBe(why);
    expect(await last()).toMatchObject({ status: "aborted" });
    await expect(follow(s, "Wait for ever", { timeoutMs: 300, cancelOnExit: true })).rejects.toMatchObject({
      code: "CONNECTION_TIMEOUT",
    });
    await expect(follow(s, "Hello", { signal: AbortSignal.abort(why) })).rejects.toBe(why);
  });

  test("a refusal is the loop's error", async () => {
    await expect(follow(await fresh(), "Hello", { message: { mode: "no such mode" } })).rejects.toMatchObject({
      name: "ClewError",
    });
    await expect(follow(server.client().session("nowhere"), "Hello")).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
  });

  test("the example runs", async () => {
    const child = await example("ts-ask/ask.mjs", "Run it");
    let out = "";
    child.stdout.on("data", (b: Buffer) => (out += b.toString()));
    child.stderr.on("data", (b: Buffer) => (out += b.toString()));
    child.stdin.write("yes\n");
    const code = await new Promise((done) => child.once("exit", done));
    expect(out).toMatch(
      /approve\? yes or no: [^]*\[execute_command echo noise: complete\]\nIt ran\.\n-- done, 0\.\d+ USD\n/,
    );
    expect(code).toBe(0);
  });

  test("the example with a form shows it and takes what is pressed", async () => {
    const s = await fresh();
    const child = await example("ts-form/form.mjs", s.id);
    let out = "";
    const shows = (text: string): Promise<void> =>
      new Promise((done, fail) => {
        const look = (b: Buffer): void => {
          out += b.toString();
          if (out.includes(text)) done();
        };
        child.stdout.on("data", look);
        child.stderr.on("data", look);
        child.once("exit", () => fail(new Error(`it ended: ${out}`)));
      });
    await shows("the form is open");
    const told = shows("Ada wants soup");
    await server.client().rest.sessions.command(s.id, "component_action", {
      window_id: "lunch",
      action: "order",
      form_data: { name: "Ada", dish: "soup" },
    });
    await told;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  });
});
