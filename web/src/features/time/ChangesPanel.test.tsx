import type { Session } from "@clew-run/client";
import { act, cleanup, render, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ChangesPanel } from "./ChangesPanel";

afterEach(cleanup);

test("the changes are looked at again with each checkpoint", async () => {
  const query = vi.fn(async () => ({ files: [], files_count: 0 }));
  let snapshot = { session: { checkpoint: "c1", role: "owner" }, questions: [] };
  const heard = new Set<() => void>();
  const session = {
    id: "s1",
    query,
    store: { getSnapshot: () => snapshot, subscribe: (fn: () => void) => (heard.add(fn), () => heard.delete(fn)) },
  } as unknown as Session;
  render(<ChangesPanel session={session} />);
  await waitFor(() => expect(query).toHaveBeenCalled());
  const before = query.mock.calls.length;
  snapshot = { ...snapshot, session: { ...snapshot.session, checkpoint: "c2" } };
  act(() => heard.forEach((fn) => fn()));
  await waitFor(() => expect(query.mock.calls.length).toBeGreaterThan(before));
});
