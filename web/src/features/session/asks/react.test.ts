import { expect, test, vi } from "vitest";
import { onAcceptInput, onInvoke, onShowView, type Page } from "./react";
import { askWords } from "./words";

const t = askWords.en;

function pageWith(composer: { empty?: boolean; typing?: boolean; question?: string } = {}) {
  const offers: { text: string; run: () => void }[] = [];
  const page = {
    offer: (text: string, _: string, run: () => void) => void offers.push({ text, run }),
    tell: vi.fn(), navigate: vi.fn(), showPart: vi.fn(), question: () => composer.question,
    composer: { isEmpty: () => composer.empty ?? true, isTyping: () => composer.typing ?? false, putIn: vi.fn(), submit: vi.fn() },
  } satisfies Page;
  return { page, offers };
}

test("a view is offered, never shown by force", () => {
  const { page, offers } = pageWith();
  onShowView(page, t, "s1", "settings");
  expect(page.navigate).not.toHaveBeenCalled();
  offers[0]!.run();
  expect(page.navigate).toHaveBeenCalledWith("/settings");
  onShowView(page, t, "s1", "changes");
  expect(page.showPart).not.toHaveBeenCalled();
  offers[1]!.run();
  expect(page.showPart).toHaveBeenCalledWith("changes");
  for (const unknown of ["titleBar", "constructor", "__proto__"]) onShowView(page, t, "s1", unknown);
  expect(offers).toHaveLength(2);
});

test("a message is put into an empty box and not sent; words of a person are not touched", () => {
  const empty = pageWith();
  onInvoke(empty.page, t, "s1", { invoke: "send_message", text: "hello" });
  expect(empty.page.composer.putIn).toHaveBeenCalledWith("hello", []);
  expect(empty.page.composer.submit).not.toHaveBeenCalled();
  const written = pageWith({ empty: false });
  onInvoke(written.page, t, "s1", { invoke: "send_message", text: "hello" });
  expect(written.page.composer.putIn).not.toHaveBeenCalled();
  written.offers[0]!.run();
  expect(written.page.composer.putIn).toHaveBeenCalledWith("hello", []);
  const typing = pageWith({ typing: true });
  onInvoke(typing.page, t, "s1", { invoke: "send_message", text: "hello" });
  expect(typing.page.composer.putIn).not.toHaveBeenCalled();
});

test("a new session and an answer are offered", () => {
  const { page, offers } = pageWith({ question: "q/1" });
  onInvoke(page, t, "s1", { invoke: "new_chat" });
  onInvoke(page, t, "s1", { invoke: "primary_button_click" });
  onInvoke(page, t, "s1", { invoke: "something_else" });
  expect(page.navigate).not.toHaveBeenCalled();
  expect(offers).toHaveLength(2);
  offers[0]!.run();
  expect(page.navigate).toHaveBeenLastCalledWith("/");
  offers[1]!.run();
  expect(page.navigate).toHaveBeenLastCalledWith("/s/s1?question=q%2F1");
  const none = pageWith();
  onInvoke(none.page, t, "s1", { invoke: "primary_button_click" });
  expect(none.offers).toEqual([]);
});

test("what is typed is sent, but not while somebody types, and nothing is not sent", () => {
  const done = pageWith({ empty: false });
  onAcceptInput(done.page, t);
  expect(done.page.composer.submit).toHaveBeenCalledTimes(1);
  const typing = pageWith({ empty: false, typing: true });
  onAcceptInput(typing.page, t);
  expect(typing.page.composer.submit).not.toHaveBeenCalled();
  typing.offers[0]!.run();
  expect(typing.page.composer.submit).toHaveBeenCalledTimes(1);
  const empty = pageWith();
  onAcceptInput(empty.page, t);
  expect(empty.page.composer.submit).not.toHaveBeenCalled();
});
