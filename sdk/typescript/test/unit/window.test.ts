import { expect, test } from "vitest";
import { contentOf, type WindowState } from "../../src/index.js";

test("what a window shows, and what makes no sense shows nothing", () => {
  const window = (content: unknown): WindowState =>
    ({ window_id: "a", monitor_id: "monitor-0", title: "", content }) as WindowState;
  expect(contentOf(window({ kind: "html", text: "<p>" }))).toEqual({ kind: "html", text: "<p>" });
  expect(contentOf(window({ kind: "table", columns: [] }))).toEqual({ kind: "table", columns: [], text: "" });
  for (const content of [undefined, null, "x", { kind: "svg", text: "x" }]) {
    expect(contentOf(window(content))).toEqual({ kind: "markdown", text: "" });
  }
});
