import { describe, expect, test } from "vitest";
import { calledAt, ofCommands } from "./completion";

describe("what is called at the cursor", () => {
  const at = (text: string) => calledAt(text.replace("|", ""), text.indexOf("|"));
  test.each([
    ["@|", "file", 0, ""],
    ["see @ma|in", "file", 4, "ma"],
    ["(@src/a|", "file", 1, "src/a"],
    ['see @"my no|', "file", 4, "my no"],
    ["/|", "command", 0, ""],
    ["/rev|", "command", 0, "rev"],
  ])("%s", (text, kind, from, query) => expect(at(text)).toEqual({ kind, from, query }));
  test.each(["ann@example.org|", "@main.go |", "a /rev|", "/review this|", "/etc/hosts|", "|@main"])(
    "nothing in %s",
    (text) => expect(at(text)).toBeNull(),
  );
});

test("commands that begin with what is typed come first", () => {
  const list = {
    commands: [
      { name: "preview", description: "", path: "" },
      { name: "review", description: "Looks", path: "" },
    ],
    skills: [{ name: "revenue", description: "", path: "" }],
  };
  expect(ofCommands(list, "rev", (n) => `Use the skill ${n}.`).map((s) => s.text)).toEqual([
    "/review",
    "Use the skill revenue.",
    "/preview",
  ]);
});
