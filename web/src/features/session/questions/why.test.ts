import { expect, test } from "vitest";
import { whyReasons, whyWords } from "./why";

test("why something is asked is said by its code, and what is not known as it came", () => {
  for (const t of [whyReasons.en, whyReasons.ko]) {
    for (const code of Object.keys(whyReasons.en.reasons))
      expect(whyWords(t, { why_code: code as never, why: "the server's sentence" })).not.toContain(
        "the server's sentence",
      );
    for (const group of ["read", "edit", "fetch", "command", "stop", "mcp"])
      expect(whyWords(t, { why_code: "group_off", why_args: { group } })).not.toBe(
        whyWords(t, { why_code: "group_off" }),
      );
    expect(whyWords(t, { why_code: "no_rule", why_args: { program: "make" } })).toContain("make");
    expect(whyWords(t, { why_code: "of_the_future" as never, why: "the moon is full" })).toContain("the moon is full");
    expect(whyWords(t, {})).toBeUndefined();
  }
  expect(Object.keys(whyReasons.ko.reasons).sort()).toEqual(Object.keys(whyReasons.en.reasons).sort());
});
