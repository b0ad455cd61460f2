import type { CellInfo } from "@clew-run/client";
import type { KeyboardEvent } from "react";
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
  const focus = {
    active: "a",
    editing: undefined,
    select: (id: string) => void told.push(`select ${id}`),
    edit: (id: string) => void told.push(`edit ${id}`),
  };
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

test("keys that follow an insert are for the new cell, in their order", async () => {
  const told: string[] = [];
  let made!: (id: string | undefined) => void;
  const book = {
    insert: async (after: string) => (
      told.push(`insert below ${after}`),
      new Promise<string | undefined>((done) => (made = done))
    ),
    retype: async (id: string, type: string) => void told.push(`${id} is ${type}`),
  } as unknown as Book;
  document.body.innerHTML = ["a", "b", "c"].map((id) => `<article tabindex="0" data-cell="${id}"></article>`).join("");
  const focus = {
    active: "a",
    editing: undefined,
    select: (id: string) => document.querySelector<HTMLElement>(`[data-cell=${id}]`)!.focus(),
    edit() {},
  };
  const cells = ["a", "b", "c"].map((cell_id) => ({ cell_id, type: "code" }) as CellInfo);
  const { result } = renderHook(() => useCellActs({ book, cells, focus, mayChange: true, scrollTo() {} }));
  const target = document.querySelector("article")!;
  const press = (key: string, more = {}) => {
    const e = { key, target, currentTarget: target, nativeEvent: {}, preventDefault: vi.fn(), ...more };
    result.current.keyDown(e as unknown as KeyboardEvent, "a");
    return e.preventDefault.mock.calls.length === 1;
  };
  for (const key of ["b", "m", "b", "m"]) expect(press(key)).toBe(true);
  for (const [key, more] of [
    ["b", { ctrlKey: true }],
    ["F5", {}],
  ] as const)
    expect(press(key, more)).toBe(false);
  expect(told).toEqual(["insert below a"]);
  await act(async () => made("b"));
  await vi.waitFor(() => expect(told).toEqual(["insert below a", "b is markdown", "insert below b"]));
  await act(async () => made("c"));
  await vi.waitFor(() => expect(told.slice(3)).toEqual(["c is markdown"]));
  expect(press("m")).toBe(true);
  expect(told.at(-1)).toBe("a is markdown");
});

test("keys that follow an insert that failed are for the cell before", async () => {
  const told: string[] = [];
  let made!: (id: string | undefined) => void;
  const book = {
    insert: () => new Promise((done) => (made = done)),
    retype: async (id: string) => void told.push(id),
  } as unknown as Book;
  const focus = { active: "a", editing: undefined, select() {}, edit() {} };
  const { result } = renderHook(() =>
    useCellActs({ book, cells: [{ cell_id: "a", type: "code" } as CellInfo], focus, mayChange: true, scrollTo() {} }),
  );
  const press = (key: string) =>
    result.current.keyDown({ key, nativeEvent: {}, preventDefault() {} } as unknown as KeyboardEvent, "a");
  press("b");
  press("m");
  await act(async () => made(undefined));
  await vi.waitFor(() => expect(told).toEqual(["a"]));
});
