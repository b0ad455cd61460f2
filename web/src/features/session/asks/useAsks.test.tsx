import type { Session } from "@clew-run/client";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Notices } from "@/app/notices";
import { setPrefs } from "@/app/prefs";
import type { ComposerPart } from "./react";
import { useAsks } from "./useAsks";
import { askWords } from "./words";

const spoken: string[] = [];
const cancel = vi.fn();

beforeEach(() => {
  spoken.length = 0;
  cancel.mockClear();
  vi.stubGlobal("speechSynthesis", { speak: (u: { text: string }) => spoken.push(u.text), cancel });
  vi.stubGlobal("SpeechSynthesisUtterance", class { lang = ""; constructor(readonly text: string) {} });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  setPrefs({ speak: false });
});

/** A session that says what the test wants. */
function fake(synced = true) {
  const heard = new Map<string, (e: { data: unknown }) => void>();
  const session = {
    id: "s1",
    on: (type: string, fn: (e: { data: unknown }) => void) => {
      heard.set(type, fn);
      return () => heard.delete(type);
    },
    store: { getSnapshot: () => ({ synced, questions: [] }) },
  } as unknown as Session;
  return { session, heard, say: (type: string, data: unknown = {}) => heard.get(type)!({ data }) };
}

const composer: ComposerPart = { isEmpty: () => true, isTyping: () => false, putIn: vi.fn(), submit: vi.fn() };

function Asked({ session }: { session: Session }) {
  useAsks(session, composer);
  return <Notices />;
}

test("a text is spoken only where somebody switched that on, and stops when it shall, or with the page", () => {
  const { session, heard, say } = fake();
  const page = render(<Asked session={session} />);
  say("tts_start", { text: "hello" });
  expect(spoken).toEqual([]);
  setPrefs({ speak: true });
  say("tts_start", { text: "hello" });
  expect(spoken).toEqual(["hello"]);
  cancel.mockClear();
  say("tts_stop");
  expect(cancel).toHaveBeenCalledTimes(1);
  page.unmount();
  expect(cancel).toHaveBeenCalledTimes(2);
  expect(heard.size).toBe(0);
});

// Covers: UIC-21
test("that what is allowed by itself has changed is told", async () => {
  const { session, say } = fake();
  render(<Asked session={session} />);
  say("auto_approval_changed", { auto_approval_enabled: false });
  expect((await screen.findAllByText(askWords.en.autoOff)).length).toBeGreaterThan(0);
});

test("what a replay brings was asked of a page before this one", () => {
  const { session, say } = fake(false);
  render(<Asked session={session} />);
  setPrefs({ speak: true });
  say("tts_start", { text: "old" });
  say("invoke", { invoke: "send_message", text: "old" });
  expect(spoken).toEqual([]);
  expect(composer.putIn).not.toHaveBeenCalled();
});
