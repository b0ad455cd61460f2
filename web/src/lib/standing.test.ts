import { expect, test } from "vitest";
import { lastWords, standing } from "./standing";

test("a session that asks and works is said to need somebody", () => {
  expect(standing({ status: "executing", questions: 1 })).toBe("awaiting_input");
  expect(standing({ status: "executing", questions: 0 })).toBe("executing");
  expect(standing({ status: "paused", questions: 1 })).toBe("paused");
  expect(standing({ status: "idle" })).toBe("idle");
});

test("a session at rest says how its work ended", () => {
  expect(standing({ status: "idle", outcome: "failed" })).toBe("failed");
  expect(standing({ status: "idle", outcome: "budget" })).toBe("budget");
  expect(standing({ status: "idle", outcome: "done" })).toBe("idle");
  expect(standing({ status: "completed", outcome: "done" })).toBe("completed");
});

test("a title is not told twice", () => {
  expect(lastWords("Mend the shop", "Mend the shop")).toBe("");
  expect(lastWords("All done.", "Mend the shop")).toBe("All done.");
});
