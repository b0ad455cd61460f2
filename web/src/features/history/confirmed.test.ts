import type { SessionSummary } from "@clew-run/client";
import { expect, test } from "vitest";
import { confirmed, inTruth, useConfirmed } from "./confirmed";

const line = (id: string, seq: number, archived?: boolean): SessionSummary => ({
  session_id: id,
  title: id,
  status: "idle",
  created_ms: 0,
  updated_ms: 0,
  last_seq: seq,
  archived,
});
const ids = (list: SessionSummary[]) => list.map((s) => s.session_id);

test("a line that is older than a confirmed change is shown with it, a newer one as it is", () => {
  confirmed("a", { records: ["msg_000000000007"] }, { archived: true });
  confirmed("b", { records: ["msg_000000000007"] }, { title: "New" });
  const all = useConfirmed.getState();
  expect(ids(inTruth([line("a", 6), line("b", 6)], all, false))).toEqual(["b"]);
  expect(inTruth([line("b", 6)], all, false)[0]!.title).toBe("New");
  expect(inTruth([line("b", 8)], all, false)[0]!.title).toBe("b");
  expect(ids(inTruth([line("a", 9)], all, false))).toEqual(["a"]); // somebody brought it back
  confirmed("a", { records: ["msg_000000000008"] }, { archived: false });
  expect(inTruth([line("a", 7, true)], useConfirmed.getState(), true)).toEqual([]);
  confirmed("a", { records: [] }, { archived: true }); // it changed nothing
  expect(useConfirmed.getState().a!.archived).toBe(false);
});
