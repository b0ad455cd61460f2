import { expect, test } from "vitest";
import { plainLine } from "./plain";

test("the marks of Markdown go, and nothing else", () => {
  expect(plainLine("Only `cents` does. **Before** I _change_ anything…")).toBe("Only cents does. Before I change anything…");
  expect(plainLine("## What I found")).toBe("What I found");
  expect(plainLine("- see [the rules](https://example.org/a_b)")).toBe("see the rules");
  expect(plainLine("1. read `a_b_c.go`")).toBe("read a_b_c.go");
  for (const same of ["snake_case_name stays", "2 * 3 * 4 = 24", "a - b", "**", "`", "C# and F#", "ls *.go *.md"]) expect(plainLine(same)).toBe(same);
});
