import { expect, onTestFinished, test, vi } from "vitest";
import { Allowance } from "./allowance";
import { type PortHost, connectPort } from "./port";

/** An app that was handed its port, and what the host heard. */
function app(focus = () => true, allowance?: Allowance) {
  let theirs!: MessagePort;
  const view = {
    postMessage: (_: unknown, __: string, [port]: MessagePort[]) => (theirs = port!),
  } as unknown as Window;
  const host = {
    ready: vi.fn<PortHost["ready"]>(),
    answer: vi.fn<PortHost["answer"]>(),
    event: vi.fn<PortHost["event"]>(),
    hasFocus: focus,
  };
  const port = connectPort(view, host, allowance);
  const heard: unknown[] = [];
  theirs.onmessage = (e: MessageEvent<unknown>) => heard.push(e.data);
  return { port, host, heard, theirs, say: (m: unknown) => theirs.postMessage(m) };
}

const total = { request_id: "app_1", kind: "query", name: "total", deadline_ms: 1 } as const;

test("an app is asked once it is ready, each thing once, and answers once", async () => {
  const a = app();
  const sent = vi.spyOn(Object.getPrototypeOf(a.theirs) as MessagePort, "postMessage");
  onTestFinished(() => sent.mockRestore());
  a.port.ask([total]);
  expect(sent).not.toHaveBeenCalled();
  a.say({ type: "ready", app: "calc", queries: ["total"], commands: ["clear", 7] });
  expect(sent).toHaveBeenCalledOnce(); // by the app: this is how ports speak
  await vi.waitFor(() => expect(a.heard).toEqual([{ type: "query", id: "app_1", name: "total", params: {} }]));
  expect(a.host.ready).toHaveBeenCalledExactlyOnceWith({ app: "calc", queries: ["total"] });
  a.port.ask([total, { ...total, request_id: "app_2", kind: "command", name: "clear", params: { all: true } }]);
  await vi.waitFor(() =>
    expect(a.heard.slice(1)).toEqual([{ type: "command", id: "app_2", name: "clear", params: { all: true } }]),
  );
  a.say({ type: "answer", id: "app_1", result: { total: 42 } });
  a.say({ type: "answer", id: "app_1", result: { total: 43 } });
  a.say({ type: "answer", id: "app_9", result: 1 }); // nobody asked
  a.say({ type: "answer", id: "app_2", error: "locked" });
  await vi.waitFor(() =>
    expect(a.host.answer.mock.calls).toEqual([
      ["app_1", { result: { total: 42 } }],
      ["app_2", { error: "locked" }],
    ]),
  );
  a.port.close();
});

test("it acts for a person only while they are in it, and not without end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let focus = false;
  const a = app(() => focus, new Allowance(2));
  a.say({ type: "event", action: "save" });
  a.say({ type: "ready" });
  await vi.waitFor(() => expect(a.host.ready).toHaveBeenCalledWith({}));
  await vi.advanceTimersByTimeAsync(1_100);
  expect(a.host.event).not.toHaveBeenCalled();
  focus = true;
  for (const m of [
    null,
    7,
    [],
    { type: "event" },
    { type: "event", action: 3 },
    { type: "event", action: "big", data: { x: "x".repeat(20_000) } },
    { type: "other" },
  ])
    a.say(m);
  a.say({ type: "event", action: "save", data: { total: 1 } });
  a.say({ type: "event", action: "check", data: [], parallel: true });
  a.say({ type: "event", action: "more" });
  a.say({ type: "ready", app: "end" });
  await vi.waitFor(() => expect(a.host.ready).toHaveBeenLastCalledWith({ app: "end" }));
  expect(a.host.event.mock.calls).toEqual([
    ["save", { total: 1 }, false],
    ["check", {}, true],
  ]);
  a.port.close();
});

test("a press is heard before the page knows that they are in it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let focus = false;
  const a = app(() => focus);
  const heard = new Promise<void>((done) => a.host.ready.mockImplementation(() => done()));
  a.say({ type: "event", action: "save" });
  a.say({ type: "ready" });
  await heard;
  expect(a.host.event).not.toHaveBeenCalled();
  focus = true;
  await vi.advanceTimersByTimeAsync(20);
  expect(a.host.event.mock.calls).toEqual([["save", {}, false]]);
  a.port.close();
});
