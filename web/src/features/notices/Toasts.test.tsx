import type { NoticeState, Session } from "@clew-run/client";
import { act, cleanup, render } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { setPrefs } from "@/app/prefs";
import { Toasts } from "./Toasts";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A session that has nothing but notices. */
function sessionWith(first: NoticeState[]): { session: Session; show(notices: NoticeState[]): void } {
  let snapshot = { notices: first, session: null };
  const heard = new Set<() => void>();
  const store = { getSnapshot: () => snapshot, subscribe: (fn: () => void) => (heard.add(fn), () => heard.delete(fn)) };
  const show = (notices: NoticeState[]) =>
    act(() => {
      snapshot = { ...snapshot, notices };
      for (const fn of heard) fn();
    });
  return { session: { id: "s1", store } as unknown as Session, show };
}

const notice = (id: string, text: string): NoticeState => ({ notice_id: id, title: "Backup", text, ts: 1 });

test("what is new goes out as a notification, if that is allowed and nobody looks", async () => {
  const shown: unknown[] = [];
  const registration = {
    pushManager: { getSubscription: async () => ({}) },
    showNotification: async (title: string, o: { tag: string; data: { url: string } }) =>
      void shown.push([title, o.tag, o.data.url]),
  };
  vi.stubGlobal("Notification", { permission: "granted" });
  Object.defineProperty(navigator, "serviceWorker", {
    configurable: true,
    value: { getRegistration: async () => registration },
  });
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(false);
  setPrefs({ notify: true });
  const old = notice("n1", "It began.");
  const { session, show } = sessionWith([old]);
  const { getByText } = render(<Toasts session={session} known={new Set(["n1"])} className="" />);
  getByText("It began.");
  show([old, notice("n2", "Half of it.")]); // somebody looks
  hidden.mockReturnValue(true);
  show([old, notice("n2", "Half of it."), notice("n3", "It is done.")]);
  setPrefs({ notify: false });
  show([notice("n4", "Once more.")]);
  await vi.waitFor(() => expect(shown).toEqual([["Backup. It is done.", "n3", "/s/s1"]]));
  getByText("Once more.");
});
