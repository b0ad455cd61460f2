import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { Allowance } from "./allowance";
import { type AppHost, type Bridge, connectApp } from "./bridge";

interface Sent {
  id?: unknown;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

let bridge: Bridge | undefined;

/** A frame's window, and what it was told. */
function frame(host: Partial<AppHost> = {}, allowance?: Allowance) {
  const told: Sent[] = [];
  const view = { postMessage: (m: Sent) => told.push(m) } as unknown as Window;
  const full: AppHost = {
    context: () => ({ theme: "dark" }),
    callTool: async () => ({ content: [] }),
    say: async () => {},
    openLink: async () => {},
    hasFocus: () => true,
    ...host,
  };
  bridge = connectApp(
    view,
    { input: { city: "Oslo" }, result: { content: [{ type: "text", text: "sunny" }] } },
    full,
    allowance,
  );
  const send = (data: unknown, source: unknown = view) =>
    dispatchEvent(Object.assign(new MessageEvent("message", { data }), { source }));
  const ask = async (method: string, params: unknown, id: number | string = 1) => {
    send({ jsonrpc: "2.0", id, method, params });
    await vi.waitFor(() => expect(told.some((m) => m.id === id)).toBe(true));
    return told.find((m) => m.id === id)!;
  };
  const begin = async () => {
    await ask(
      "ui/initialize",
      { protocolVersion: "2026-01-26", appInfo: { name: "t", version: "1" }, appCapabilities: {} },
      "init",
    );
    send({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  };
  return { told, send, ask, begin };
}

afterEach(async () => {
  vi.useRealTimers();
  const closing = bridge;
  bridge = undefined;
  await closing?.close();
});

test("a page is told its call once it is ready, and not before", async () => {
  const f = frame();
  const init = await f.ask("ui/initialize", {}, "init");
  expect(init.result).toMatchObject({
    protocolVersion: "2026-01-26",
    hostContext: { theme: "dark" },
    hostCapabilities: { serverTools: {} },
  });
  expect(f.told).toHaveLength(1);
  f.send({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  f.send({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  expect(f.told.slice(1).map((m) => m.method)).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
  expect(f.told[1]!.params).toEqual({ arguments: { city: "Oslo" } });
  bridge!.changed();
  expect(f.told.at(-1)).toMatchObject({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } });
});

test("it calls tools, and hears why one was refused", async () => {
  const callTool = vi.fn<AppHost["callTool"]>(async (name) => {
    if (name === "no") throw new Error("a person denied the call");
    return { content: [{ type: "text", text: "21" }] };
  });
  const f = frame({ callTool });
  expect((await f.ask("tools/call", { name: "early" }, 1)).error?.message).toBe("not initialized yet");
  await f.begin();
  expect((await f.ask("tools/call", { name: "refresh", arguments: { city: "Oslo" } }, 2)).result).toEqual({
    content: [{ type: "text", text: "21" }],
  });
  expect(callTool).toHaveBeenCalledWith("refresh", { city: "Oslo" });
  expect((await f.ask("tools/call", { name: "no" }, 3)).error).toEqual({
    code: -32000,
    message: "a person denied the call",
  });
  expect((await f.ask("tools/call", { name: 7 }, 4)).error?.code).toBe(-32602);
  expect(callTool).toHaveBeenCalledTimes(2);
});

test("it speaks for a person only while they are in it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let focus = false;
  const say = vi.fn<AppHost["say"]>(async () => {});
  const openLink = vi.fn<AppHost["openLink"]>(async () => {});
  const f = frame({ hasFocus: () => focus, say, openLink });
  await f.begin();
  const words = {
    role: "user",
    content: [
      { type: "text", text: "order 3" },
      { type: "image", data: "x" },
    ],
  };
  const refused = [f.ask("ui/message", words, 1), f.ask("ui/open-link", { url: "https://example.org/" }, 2)];
  await vi.advanceTimersByTimeAsync(1_100);
  for (const r of refused) expect((await r).error?.message).toMatch(/not in this window/);
  focus = true;
  expect((await f.ask("ui/message", words, 3)).result).toEqual({});
  expect(say).toHaveBeenCalledExactlyOnceWith("order 3");
  for (const [i, url] of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "nonsense", 7].entries()) {
    expect((await f.ask("ui/open-link", { url }, `bad ${i}`)).error?.code).toBe(-32602);
  }
  expect((await f.ask("ui/open-link", { url: "https://example.org/" }, 4)).result).toEqual({});
  expect(openLink).toHaveBeenCalledTimes(1);
});

test("nobody else is heard, and nothing that is no message", async () => {
  const say = vi.fn<AppHost["say"]>(async () => {});
  const f = frame({ say });
  await f.begin();
  const before = f.told.length;
  const message = { jsonrpc: "2.0", id: 9, method: "ui/message", params: { content: { type: "text", text: "x" } } };
  f.send(message, window);
  f.send(message, { postMessage: () => {} });
  f.send(message, null);
  for (const data of [
    null,
    7,
    "x",
    [message],
    { ...message, jsonrpc: "1.0" },
    { ...message, id: {} },
    { ...message, method: 4 },
    { ...message, params: { content: { type: "text", text: "x".repeat(20_000) } } },
  ])
    f.send(data);
  const circle: Record<string, unknown> = { ...message };
  circle.params = circle;
  f.send(circle);
  await Promise.resolve();
  expect(f.told).toHaveLength(before);
  expect(say).not.toHaveBeenCalled();
  expect((await f.ask("resources/read", {}, 10)).error?.code).toBe(-32601);
  expect((await f.ask("__proto__", {}, 11)).error?.code).toBe(-32601);
  expect((await f.ask("constructor", {}, 12)).error?.code).toBe(-32601);
});

test("it may ask for so much in a minute", async () => {
  const f = frame({}, new Allowance(2));
  await f.begin();
  for (const id of [1, 2]) expect((await f.ask("tools/call", { name: "t" }, id)).result).toBeDefined();
  expect((await f.ask("tools/call", { name: "t" }, 3)).error?.message).toMatch(/too many/);
  expect((await f.ask("ping", {}, 4)).result).toEqual({});
  const slow = new Allowance(2);
  expect([slow.take(0), slow.take(1), slow.take(2), slow.take(60_001), slow.take(60_001)]).toEqual([
    true,
    true,
    false,
    true,
    true,
  ]);
});

test("closing lets it finish, and waits for no answer for ever", async () => {
  const f = frame();
  await f.begin();
  const closing = bridge!.close();
  expect(f.told.at(-1)).toMatchObject({ id: "teardown", method: "ui/resource-teardown" });
  f.send({ jsonrpc: "2.0", id: "teardown", result: {} });
  await closing;
  const before = f.told.length;
  f.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  await Promise.resolve();
  expect(f.told).toHaveLength(before);

  vi.useFakeTimers();
  const g = frame();
  g.send({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  let closed = false;
  const wait = bridge!.close().then(() => (closed = true));
  await vi.advanceTimersByTimeAsync(499);
  expect(closed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await wait;
});
