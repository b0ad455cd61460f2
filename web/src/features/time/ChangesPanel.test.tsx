import type { Session } from "@clew-run/client";
import { act, cleanup, render, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ChangesPanel } from "./ChangesPanel";

afterEach(cleanup);

test("the changes are looked at again when the workspace changed", async () => {
  const ask = vi.fn(async () => ({ files: [], files_count: 0 }));
  const snapshot = { session: { checkpoint: "c1", role: "owner" }, questions: [] };
  let changed = () => {};
  const session = {
    id: "s1", ask,
    on: (type: string, fn: () => void) => {
      if (type === "workspace_updated") changed = fn;
      return () => {};
    },
    store: { getSnapshot: () => snapshot, subscribe: () => () => {} },
  } as unknown as Session;
  render(<ChangesPanel session={session} />);
  await waitFor(() => expect(ask).toHaveBeenCalled());
  const before = ask.mock.calls.length;
  act(() => changed());
  await waitFor(() => expect(ask.mock.calls.length).toBeGreaterThan(before));
});
