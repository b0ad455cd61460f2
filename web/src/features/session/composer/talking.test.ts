import type { Question, WordsEffect } from "@clew-run/client";
import { expect, test } from "vitest";
import { talking } from "./talking";

const ask = (words_effect?: WordsEffect): Question =>
  ({ type: "hitl_approval_request", request_id: "r", words_effect }) as Question;

test("words do to a question what the server says, and pass by those that they do not reach", () => {
  expect(talking([])).toBeNull();
  expect(talking([ask("denies")])).toBe("denies");
  expect(talking([ask("steers"), ask("continues"), ask("answers")])).toBe("continues");
  expect(talking([ask("steers"), ask()])).toBeNull();
});
