import type { Setting } from "@clew-run/client";
import { expect, test } from "vitest";
import { controlOf, textOf, valueOf } from "./setting";

const of = (s: Partial<Setting>): Setting => ({ key: "k", value: s.default, layer: "default", ...s }) as Setting;

test("a control fits its setting", () => {
  for (const kind of ["switch", "number", "lines", "json"] as const) expect(controlOf(of({ kind }))).toEqual({ kind });
  expect(controlOf(of({ kind: "choice", choices: ["ask", "auto"] }))).toEqual({
    kind: "choice",
    options: ["ask", "auto"],
  });
  expect(controlOf(of({ kind: "text" }))).toEqual({ kind: "text", long: false });
  expect(controlOf(of({ kind: "long_text" }))).toEqual({ kind: "text", long: true });
  expect(controlOf(of({ unknown: true, value: 7 }))).toEqual({ kind: "json" });
});

test("text and value are each other's way back", () => {
  expect(valueOf({ kind: "lines" }, " go test *\n\ngit status ")).toEqual(["go test *", "git status"]);
  expect(textOf({ kind: "lines" }, ["a", "b"])).toBe("a\nb");
  expect(valueOf({ kind: "json" }, textOf({ kind: "json" }, { a: [1] }))).toEqual({ a: [1] });
  expect(() => valueOf({ kind: "json" }, "{")).toThrow();
});

test("an empty field is no zero", () => {
  expect(() => valueOf({ kind: "number" }, " ")).toThrow();
  expect(valueOf({ kind: "number" }, "0")).toBe(0);
});
