import { describe, expect, test } from "vitest";

// Failures on purpose: only report.test.ts runs this.
let tries = 0;

describe("planted", () => {
  test("passes", () => {});

  test("fails twice, each time otherwise", () => {
    tries++;
    if (tries === 1) throw new Error("the defect", { cause: new Error("what it was caused by") });
    expect(tries, "another thing").toBe(3);
  });

  test("always fails", () => {
    throw new Error("broken");
  });
});
