import type { TranscriptMessage } from "@clew-run/client";
import { expect, test } from "vitest";
import { choose, formulaIn, imageData } from "./choose";
import { isHeld, merged, outputOf, outputsOfFile } from "./output";

const message = (cell: object, more: object = {}) =>
  ({
    message_id: "m1",
    ts: 0,
    type: "say",
    role: "agent",
    cell: { notebook_id: "n", run_id: "r", ...cell },
    ...more,
  }) as unknown as TranscriptMessage;

test("the first form that fits is shown", () => {
  const all = {
    "text/plain": "p",
    "application/json": { a: 1 },
    "text/latex": "$x$",
    "text/markdown": "**m**",
    "text/html": "<b>h</b>",
    "image/svg+xml": "<svg/>",
    "image/jpeg": "aa==",
    "image/png": "bb==",
  };
  const order: string[] = [];
  const left: Record<string, unknown> = { ...all };
  for (const gone of [
    "image/png",
    "image/jpeg",
    "image/svg+xml",
    "text/html",
    "text/markdown",
    "text/latex",
    "application/json",
    "text/plain",
  ]) {
    const c = choose(left);
    order.push(c.as === "image" ? c.type : c.as);
    delete left[gone];
  }
  expect(order).toEqual(["image/png", "image/jpeg", "svg", "html", "markdown", "latex", "json", "text"]);
  expect(choose({})).toEqual({ as: "nothing" });
});

test("charts come before pictures and their HTML, and have another form", () => {
  const spec = { mark: "bar" };
  expect(
    choose({
      "application/vnd.vegalite.v5+json": spec,
      "text/html": "<script>draw()</script>",
      "text/plain": "alt.Chart",
    }),
  ).toEqual({ as: "chart", kind: "vegalite", value: spec, otherwise: { as: "text", value: "alt.Chart" } });
  expect(choose({ "application/vnd.plotly.v1+json": spec, "image/png": "aa", "text/html": "x" })).toEqual({
    as: "chart",
    kind: "plotly",
    value: spec,
    otherwise: { as: "image", type: "image/png", value: "aa" },
  });
  expect(choose({ "application/vnd.vega.v5.1+json": spec, "text/html": "x" })).toEqual({
    as: "chart",
    kind: "vega",
    value: spec,
    otherwise: { as: "json", value: spec },
  });
  expect(choose({ "application/vnd.dataresource+json": spec, "text/html": "x" })).toEqual({
    as: "resource",
    value: spec,
    otherwise: { as: "html", value: "x" },
  });
  expect(
    choose({
      "application/vnd.jupyter.widget-view+json": { model_id: "x" },
      "text/html": "<script></script>",
      "text/plain": "IntSlider(value=0)",
    }),
  ).toEqual({ as: "widget", value: "IntSlider(value=0)" });
  expect(choose({ "application/geo+json": { type: "Point" } })).toEqual({ as: "json", value: { type: "Point" } });
});

test("an image that came as text is an address only if it is one", () => {
  expect(imageData("image/png", "iVBOR\nw0KGgo=\n")).toBe("data:image/png;base64,iVBORw0KGgo=");
  expect(imageData("image/png", '"><script>')).toBeNull();
  expect(imageData("image/png", "")).toBeNull();
});

test("a formula is told from other LaTeX", () => {
  expect(formulaIn("$\\displaystyle x^{2}$")).toBe("x^{2}");
  expect(formulaIn("$$\na+b\n$$")).toBe("a+b");
  expect(formulaIn("\\begin{align}a\\end{align}")).toBe("\\begin{align}a\\end{align}");
  expect(formulaIn("Some $x$ and $y$")).toBeNull();
});

test("messages become outputs; what was cleared and what is no output do not", () => {
  expect(outputOf(message({ output: "stream" }, { text: "hi", metadata: { stream: "stderr" } }))).toEqual({
    kind: "stream",
    key: "m1",
    name: "stderr",
    text: "hi",
  });
  expect(
    outputOf(
      message(
        { output: "execute_result" },
        { text: "3", metadata: { execution_count: 2, data: { "text/html": "<b>3</b>" } } },
      ),
    ),
  ).toEqual({ kind: "data", key: "m1", data: { "text/html": "<b>3</b>", "text/plain": "3" }, count: 2 });
  expect(outputOf(message({ output: "error" }, { text: "trace", metadata: { ename: "E", evalue: "v" } }))).toEqual({
    kind: "error",
    key: "m1",
    name: "E",
    value: "v",
    text: "trace",
  });
  expect(outputOf(message({ output: "display_data", cleared: true }, { text: "gone" }))).toBeNull();
  expect(outputOf(message({ output: "status" }))).toBeNull();
  expect(outputOf({ message_id: "x" } as TranscriptMessage)).toBeNull();
});

test("streams of one name that follow each other are one", () => {
  const out = (name: "stdout" | "stderr", text: string, key: string) => ({ kind: "stream" as const, key, name, text });
  expect(
    merged([out("stdout", "a", "1"), out("stdout", "b", "2"), out("stderr", "c", "3"), out("stdout", "d", "4")]),
  ).toEqual([out("stdout", "ab", "1"), out("stderr", "c", "3"), out("stdout", "d", "4")]);
});

test("a file's outputs are read as they are, and nonsense in them is left out", () => {
  expect(
    outputsOfFile([
      { output_type: "stream", name: "stdout", text: ["a\n", "b"] },
      {
        output_type: "execute_result",
        execution_count: 3,
        data: { "text/plain": ["x", "y"], "application/json": ["kept"] },
      },
      { output_type: "error", ename: "E", evalue: "v", traceback: ["one", "two"] },
      { output_type: "other" },
      null,
      7,
    ]),
  ).toEqual([
    { kind: "stream", key: "0", name: "stdout", text: "a\nb" },
    { kind: "data", key: "1", data: { "text/plain": "xy", "application/json": ["kept"] }, count: 3 },
    { kind: "error", key: "2", name: "E", value: "v", text: "one\ntwo" },
  ]);
  expect(outputsOfFile({ not: "a list" })).toEqual([]);
});

test("what is held elsewhere is told from a value that looks like it", () => {
  expect(isHeld({ blob: "sha256:1", bytes: 3 })).toBe(true);
  expect(isHeld({ blob: "x", bytes: 3, more: 1 })).toBe(false);
  expect(isHeld("blob")).toBe(false);
});
