import type { CellInfo } from "@clew-run/client";
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import * as notices from "@/app/notices";
import type { Book } from "./book";
import { useCellActs } from "./useCellActs";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test("an insert is told, and its cell chosen, only if there is one", async () => {
  const told: string[] = [];
  vi.spyOn(notices, "announce").mockImplementation((text) => void told.push(text));
  let made: string | undefined;
  const book = { insert: async () => made } as unknown as Book;
  const focus = { active: "a", editing: undefined, select: (id: string) => void told.push(`select ${id}`), edit: (id: string) => void told.push(`edit ${id}`) };
  const cells = [{ cell_id: "a" } as CellInfo];
  const { result } = renderHook(() => useCellActs({ book, cells, focus, mayChange: true, scrollTo() {} }));
  await act(async () => result.current.insert("a", "below", "code"));
  await act(async () => result.current.insert("a", "below", "markdown"));
  expect(told).toEqual([]);
  made = "b";
  await act(async () => result.current.insert("a", "below", "code"));
  await act(async () => result.current.insert("a", "below", "markdown"));
  expect(told).toEqual(["Cell inserted", "select b", "Cell inserted", "edit b"]);
});
