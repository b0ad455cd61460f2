import { expect, test } from "vitest";
import { lastWords, standing } from "./standing";

test("a session that asks and works is said to need somebody", () => {
  expect(standing({ status: "executing", questions: 1 })).toBe("awaiting_input");
  expect(standing({ status: "executing", questions: 0 })).toBe("executing");
  expect(standing({ status: "paused", questions: 1 })).toBe("paused");
  expect(standing({ status: "idle" })).toBe("idle");
});

test("a title is not told twice", () => {
  expect(lastWords("Mend the shop", "Mend the shop")).toBe("");
  expect(lastWords("All done.", "Mend the shop")).toBe("All done.");
});
