import { expect, test } from "vitest";
import { contentOf, windowsAfter } from "../../src/fold_windows.js";
import type { Action, WindowState } from "../../src/types.gen.js";

const fold = (list: readonly WindowState[], ...actions: Action[]) => windowsAfter(list, { actions, agent_id: "main-monitor-0", monitor_id: "monitor-1" });
const open = (window_id: string, params?: Record<string, unknown>): Action => ({ type: "window.create", window_id, params });
const ids = (list: readonly WindowState[]) => list.map((w) => w.window_id);

test("windows are opened, changed, brought to the front and closed", () => {
  let list = fold([], open("a", { title: "A", content: { kind: "html", text: "<p>" } }), open("b"));
  expect(list[0]).toEqual({ window_id: "a", monitor_id: "monitor-1", title: "A", agent_id: "main-monitor-0", content: { kind: "html", text: "<p>" } });
  const b = list[1];
  list = fold(list, { type: "window.update", window_id: "a", params: { title: "A2", bounds: { x: 1, y: 2, w: 3, h: 4 }, monitor_id: "monitor-2" } });
  expect(list[0]).toMatchObject({ title: "A2", bounds: { x: 1, y: 2, w: 3, h: 4 }, monitor_id: "monitor-2" });
  expect(list[1]).toBe(b);
  expect(ids(fold(list, { type: "window.focus", window_id: "a" }))).toEqual(["b", "a"]);
  expect(ids(fold(list, { type: "window.close", window_id: "a" }))).toEqual(["b"]);
  expect(fold(list, open("a", { title: "anew" }))[1]).toMatchObject({ monitor_id: "monitor-2", bounds: { x: 1, y: 2, w: 3, h: 4 }, title: "anew" });
});

test("what makes no sense changes nothing", () => {
  const list = fold([], open("a", { title: "A" }));
  for (const params of [{ title: 7 }, { content: "x" }, { content: { kind: "svg", text: "x" } }, { bounds: { x: 1 } }, { monitor_id: "monitor-9" }]) {
    expect(fold(list, { type: "window.update", window_id: "a", params })).toEqual(list);
  }
  expect(fold(list, { type: "window.close", window_id: "z" }, { type: "window.focus", window_id: "z" }, { type: "window.update", window_id: "z" }, { type: "toast.show" })).toBe(list);
  expect(fold([], ...Array.from({ length: 20 }, (_, i) => open(`w${i}`)))).toHaveLength(16);
  expect(contentOf(list[0]!)).toEqual({ kind: "markdown", text: "" });
});
