import type { Setting } from "@clew-run/client";
import { expect, test } from "vitest";
import { controlOf, textOf, valueOf } from "./setting";

const of = (s: Partial<Setting>): Setting => ({ key: "k", value: s.default, layer: "default", ...s }) as Setting;

test("a control fits its setting", () => {
  expect(controlOf(of({ default: false, allowed: "`true`, `false`" })).kind).toBe("switch");
  expect(controlOf(of({ default: 3, allowed: "0 to 20" })).kind).toBe("number");
  expect(controlOf(of({ default: "ask", allowed: "`ask`, `auto`" }))).toEqual({ kind: "choice", options: ["ask", "auto"] });
  expect(controlOf(of({ default: "", allowed: "a name of `model_profiles`, or empty" }))).toEqual({ kind: "text", long: false });
  expect(controlOf(of({ default: "", allowed: "up to 64 KiB of text" }))).toEqual({ kind: "text", long: true });
  expect(controlOf(of({ default: [], allowed: "list of patterns" })).kind).toBe("lines");
  expect(controlOf(of({ default: [], allowed: "list of modes" })).kind).toBe("json");
  expect(controlOf(of({ default: {}, allowed: "objects by name" })).kind).toBe("json");
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
