import type { Session } from "@clew-run/client";
import { act, cleanup, render, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ChangesPanel } from "./ChangesPanel";

afterEach(cleanup);

test("the changes are looked at again with each checkpoint", async () => {
  const ask = vi.fn(async () => ({ files: [], files_count: 0 }));
  let snapshot = { session: { checkpoint: "c1", role: "owner" }, questions: [] };
  const heard = new Set<() => void>();
  const session = {
    id: "s1", ask,
    store: { getSnapshot: () => snapshot, subscribe: (fn: () => void) => (heard.add(fn), () => heard.delete(fn)) },
  } as unknown as Session;
  render(<ChangesPanel session={session} />);
  await waitFor(() => expect(ask).toHaveBeenCalled());
  const before = ask.mock.calls.length;
  snapshot = { ...snapshot, session: { ...snapshot.session, checkpoint: "c2" } };
  act(() => heard.forEach((fn) => fn()));
  await waitFor(() => expect(ask.mock.calls.length).toBeGreaterThan(before));
});
