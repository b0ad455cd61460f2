import { expect, test } from "vitest";
import { questionWords } from "./words";
import { whyWords } from "./why";

test("names of settings do not reach people, and what is not known is said as it came", () => {
  for (const t of [questionWords.en, questionWords.ko]) {
    for (const name of ["read_only", "write", "execute", "browser", "mcp", "fetch"]) expect(whyWords(t, `always_allow_${name} is off`)).not.toContain("always_allow");
    expect(whyWords(t, "the command cannot be parsed")).toContain("the command cannot be parsed");
  }
});
