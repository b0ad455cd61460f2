import type { InboxResponse } from "@clew-run/client";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setPrefs } from "@/app/prefs";
import { NotSent } from "./answer";
import { Card, type CardProps } from "./Card";
import { approval, input } from "./samples";

vi.mock("@/app/client", () => ({ client: { rest: { rules: { check: async () => ({ covers: true }) }, inbox: {} } } }));

/** A server that answers when it is told to. */
function desk() {
  const sent: InboxResponse[] = [];
  let settle: { done(): void; fail(e: unknown): void };
  return {
    sent,
    send: (_: unknown, r: InboxResponse) => {
      sent.push(r);
      return new Promise<void>((done, fail) => (settle = { done, fail }));
    },
    done: () => act(async () => settle.done()),
    fail: (e: unknown) => act(async () => settle.fail(e)),
  };
}

const skew = 5 * 60_000; // this machine's clock is five minutes wrong
const clock = { serverNow: () => Date.now() + skew };

function show(over: Partial<CardProps> = {}) {
  const server = desk();
  const props = { question: approval(), sessionId: "s", answering: server, clock, ...over };
  const view = render(<Card {...props} />);
  return {
    server,
    card: screen.getByRole("article"),
    again: (more: Partial<CardProps>) => view.rerender(<Card {...props} {...more} />),
  };
}

beforeEach(() => setPrefs({ language: "en", letterKeys: true }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("letters count only while the card has the focus, and not where one writes", () => {
  const { server, card } = show();
  fireEvent.keyDown(document.body, { key: "a" });
  expect(server.sent).toEqual([]);
  fireEvent.keyDown(card, { key: "e" });
  fireEvent.keyDown(screen.getByLabelText("Do this instead"), { key: "a" });
  fireEvent.keyDown(card, { key: "a", ctrlKey: true });
  expect(server.sent).toEqual([]);
  fireEvent.keyDown(card, { key: "a" });
  expect(server.sent).toMatchObject([{ action: "approve" }]);
});

test("D and Deny deny at once, and once", () => {
  const { server, card } = show();
  fireEvent.keyDown(card, { key: "d" });
  fireEvent.click(screen.getByRole("button", { name: "Deny" }));
  expect(server.sent).toMatchObject([{ action: "reject" }]);
  expect(server.sent[0]!.comment).toBeUndefined();
});

test("letters can be switched off", () => {
  setPrefs({ letterKeys: false });
  const { server, card } = show();
  fireEvent.keyDown(card, { key: "a" });
  expect(server.sent).toEqual([]);
});

test("nothing is decided before the server's word", async () => {
  const { server, card, again } = show();
  fireEvent.click(screen.getByRole("button", { name: /Approve/ }));
  expect(card.dataset.state).toBe("sending");
  expect(screen.queryByText(/Approved/)).toBeNull();
  fireEvent.keyDown(card, { key: "a" }); // a second press is no second answer
  expect(server.sent).toHaveLength(1);
  await server.done();
  expect(screen.queryByText(/Approved/)).toBeNull();
  again({ settled: { action: "approve", by: "bob", ts: 0 } });
  expect(screen.getByText("Approved by bob")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Approve/ })).toBeNull();
});

test("the focus stays on a card that turns inert", () => {
  const { card, again } = show();
  const button = screen.getByRole("button", { name: /Approve/ });
  button.focus();
  again({ settled: { action: "reject", by: "bob" } });
  expect(document.activeElement).toBe(card);
});

test("an answer that did not arrive is not sent, and the same one goes under the same name", async () => {
  const { server, card } = show();
  fireEvent.click(screen.getByRole("button", { name: /Approve/ }));
  await server.fail(new NotSent());
  expect(card.dataset.state).toBe("unsent");
  expect(screen.getByRole("alert").textContent).toContain("Not sent");
  fireEvent.click(screen.getByRole("button", { name: "Send again" }));
  expect(server.sent).toHaveLength(2);
  expect(server.sent[1]).toEqual(server.sent[0]);
  expect(server.sent[0]!.client_message_id).toBeTruthy();
});

test("a late click gets the server's reason", async () => {
  const { server } = show();
  fireEvent.click(screen.getByRole("button", { name: /Approve/ }));
  await server.fail(Object.assign(new Error("somebody was faster"), { code: "HITL_REQUEST_EXPIRED" }));
  expect(screen.getByRole("alert").textContent).toContain("somebody was faster");
});

test("a no can say why, and a change is a no with words", () => {
  const { server } = show();
  fireEvent.click(screen.getByRole("button", { name: "Deny with instructions…" }));
  fireEvent.change(screen.getByLabelText("Reason (optional)"), { target: { value: "too slow" } });
  fireEvent.click(screen.getByRole("button", { name: "Deny" }));
  expect(server.sent).toMatchObject([{ action: "reject", comment: "too slow" }]);
  cleanup();
  const other = show();
  fireEvent.keyDown(other.card, { key: "e" });
  const box = screen.getByLabelText<HTMLTextAreaElement>("Do this instead");
  expect(box.value).toBe("go test ./...");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Deny with instructions" }).disabled).toBe(true); // nothing changed yet
  fireEvent.change(box, { target: { value: "go test -short ./..." } });
  fireEvent.keyDown(box, { key: "Enter", isComposing: true });
  expect(other.server.sent).toEqual([]);
  fireEvent.keyDown(box, { key: "Enter" });
  expect(other.server.sent).toMatchObject([{ action: "reject", comment: "Do this instead: go test -short ./..." }]);
});

test("time left goes by the server's clock, and its end is not a no", () => {
  vi.useFakeTimers();
  const { card, again } = show({
    question: approval({ request_id: "req_clock", deadline_ms: Date.now() + skew + 61_000 }),
  });
  const timer = screen.getByRole("timer");
  expect(timer.textContent).toContain("1:01");
  act(() => void vi.advanceTimersByTime(2_000));
  expect(timer.textContent).toContain("0:59");
  act(() => void vi.advanceTimersByTime(60_000));
  expect(timer.textContent).toBe("Time is up");
  again({ settled: { action: "reject", byTimeout: true } });
  expect(card.dataset.state).toBe("expired");
  expect(card.textContent).toContain("Expired");
  expect(card.textContent).not.toMatch(/denied by/i);
});

test("limits are told where they are not the usual ones", () => {
  const { card } = show();
  expect(card.textContent).not.toContain("Limits");
  cleanup();
  const effect = { ...approval().effect!, limits: { memory_mb: 512, open_files: 100 } };
  expect(show({ question: approval({ effect }) }).card.textContent).toContain("Limits512 MB of memory, 100 open files");
});

test("who may only watch has no buttons", () => {
  show({ mayAnswer: false });
  expect(screen.queryByRole("button")).toBeNull();
});

test("a suggestion answers with its value", () => {
  const { server } = show({
    question: input({
      input_type: "choice",
      strict: true,
      options: [
        { value: 2, label: "Two" },
        { value: "x", label: "Ex" },
      ],
    }),
  });
  expect(screen.queryByRole("textbox")).toBeNull(); // only what is offered is taken
  fireEvent.click(screen.getByRole("button", { name: "Two" }));
  expect(server.sent).toMatchObject([{ value: 2 }]);
});

test("a rule is saved as it is shown, and only if it covers what is asked", async () => {
  vi.useFakeTimers();
  const question = approval({
    remember: {
      scopes: ["task", "session"],
      pattern: "go test *",
      match: "go test ./...",
      near_miss: "go build",
      runs_workspace: true,
    },
  } as never);
  const { server } = show({ question });
  expect(screen.queryByLabelText("Rule")).toBeNull();
  fireEvent.click(screen.getByLabelText("In this session"));
  expect(screen.getByText("Covers").nextElementSibling?.textContent).toBe("go test ./...");
  expect(screen.getByText("Not covered").nextElementSibling?.textContent).toBe("go build");
  expect(screen.getByText(/runs this project's own code/)).toBeTruthy();
  const rule = screen.getByLabelText("Rule");
  fireEvent.change(rule, { target: { value: "go test ./..." } });
  const approve = screen.getByRole<HTMLButtonElement>("button", { name: /Approve in this session/ });
  expect(approve.disabled).toBe(true); // nobody has looked at it yet
  await act(async () => void (await vi.advanceTimersByTimeAsync(300)));
  expect(approve.disabled).toBe(false);
  expect(screen.queryByText(/runs this project's own code/)).toBeNull(); // the very line says what it runs
  fireEvent.click(approve);
  expect(server.sent).toMatchObject([{ action: "approve", remember: { scope: "session", pattern: "go test ./..." } }]);
});

const call = (over: Partial<ReturnType<typeof approval>>) =>
  approval({
    ask: "use_mcp_server",
    tool: "pay",
    effect: { summary: "bank: pay", server: "bank", digest: "1" },
    ...over,
  });

test("the server's text of an input is shown, not what numbers became in reading", () => {
  show({
    question: call({
      input: JSON.parse('{"account":9007199254740993}'),
      input_text: '{\n  "account": 9007199254740993\n}',
    }),
  });
  expect(screen.getByRole("group", { name: "Input" }).textContent).toContain('"account": 9007199254740993');
  expect(screen.queryByText(/9007199254740992|rounded/)).toBeNull();
});

test("without such a text, a number that may have been rounded is called so", () => {
  const { again } = show({ question: call({ input: { to: [{ account: 2 ** 60 }] } }) });
  screen.getByText(/Large numbers are rounded here.*clew answer req_1/);
  again({ question: call({ input: { to: [{ account: 2 ** 53 - 1, share: 0.1 }] } }) });
  expect(screen.queryByText(/rounded/)).toBeNull();
});

test("files on another node: two ways to go on, in the page's own words", async () => {
  const question = input({
    question: "Where?",
    input_type: "choice",
    strict: true,
    missing_workspace: { node: "node_a", here: "node_b" },
    options: [
      { value: "wait", label: "w" },
      { value: "continue", label: "c" },
    ],
  });
  const { server, card } = show({ question });
  expect(card.textContent).toContain("The files are on another node");
  expect(card.textContent).toContain("on node node_a and not on node_b");
  fireEvent.click(screen.getByRole("button", { name: "Wait until that node is back" }));
  expect(server.sent).toMatchObject([{ value: "wait" }]);
  expect(screen.queryByRole("textbox")).toBeNull();
});
