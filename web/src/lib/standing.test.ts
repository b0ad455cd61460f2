import { expect, test } from "vitest";
import { lastWords, standing } from "./standing";

test("a session that asks and works is said to need somebody", () => {
  expect(standing({ status: "executing", questions: 1 }, "ann")).toBe("awaiting_input");
  expect(standing({ status: "executing", questions: 0 }, "ann")).toBe("executing");
  expect(standing({ status: "paused", questions: 1 }, "ann")).toBe("paused");
  expect(standing({ status: "idle" }, "ann")).toBe("idle");
});

test("a session of somebody else is not said to need the one who looks", () => {
  expect(standing({ status: "awaiting_input", owner: "ann" }, "ann")).toBe("awaiting_input");
  expect(standing({ status: "awaiting_input", owner: "bob" }, "ann")).toBe("awaiting_others");
  expect(standing({ status: "executing", questions: 1, owner: "bob" }, "ann")).toBe("awaiting_others");
  expect(standing({ status: "executing", owner: "bob" }, "ann")).toBe("executing");
});

test("a session at rest says how its work ended", () => {
  expect(standing({ status: "idle", outcome: "failed" }, "ann")).toBe("failed");
  expect(standing({ status: "idle", outcome: "budget" }, "ann")).toBe("budget");
  expect(standing({ status: "idle", outcome: "done" }, "ann")).toBe("idle");
  expect(standing({ status: "completed", outcome: "done" }, "ann")).toBe("completed");
});

test("a title is not told twice", () => {
  expect(lastWords("Mend the shop", "Mend the shop")).toBe("");
  expect(lastWords("All done.", "Mend the shop")).toBe("All done.");
});
