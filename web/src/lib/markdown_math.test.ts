import { expect, test } from "vitest";
import { blocksOfText } from "./markdown";

const formulas = (text: string) =>
  blocksOfText(text).flatMap((b) => {
    if (b.kind === "math") return [b.text];
    if (b.kind !== "html") return [];
    const host = document.createElement("div");
    host.innerHTML = String(b.html);
    return [...host.querySelectorAll("code.math, code.math-block")].map((c) => c.textContent);
  });

test("formulas in a line and by themselves", () => {
  expect(formulas("a $x^2$ b \\(y_1\\) c")).toEqual(["x^2", "y_1"]);
  expect(formulas("$$\n\\frac{a}{b}\n$$")).toEqual(["\\frac{a}{b}"]);
  expect(formulas("\\[ x \\]")).toEqual(["x"]);
  expect(formulas("```math\nx\n```")).toEqual(["x"]);
  expect(formulas("- in a list $$x$$ too")).toEqual(["x"]);
  expect(formulas("$a_b$ and $c_d$")).toEqual(["a_b", "c_d"]); // and no emphasis between them
});

test("money, variables and code are none", () => {
  for (const text of [
    "It costs $5 and then $6.",
    "from $HOME to $PATH",
    "$HOME:$PATH",
    "$A/$B",
    "`$x$`",
    "5$ or 6$",
    "$ x $",
    "$$",
    "a \\$x\\$ b",
    "$5,$6",
    "between $10 and $20 (or $30)",
  ])
    expect(formulas(text), text).toEqual([]);
});

test("a diagram is a block of its own", () => {
  expect(blocksOfText("```mermaid\nflowchart LR\n```").map((b) => b.kind)).toEqual(["diagram"]);
  expect(blocksOfText("```mermaidx\nflowchart LR\n```").map((b) => b.kind)).toEqual(["code"]);
});
