import type { Question } from "@clew-run/client";
import { expect, test } from "vitest";
import { talking } from "./talking";

const ask = (q: object): Question => ({ request_id: "r", ...q }) as unknown as Question;

test("words refuse an approval, change a plan and answer a question", () => {
  expect(talking([])).toBeNull();
  expect(talking([ask({ type: "hitl_approval_request", ask: "command" })])).toBe("refuses");
  expect(talking([ask({ type: "hitl_approval_request", ask: "completion_result" })])).toBe("refuses");
  expect(talking([ask({ type: "hitl_approval_request", limit: "budget" })])).toBe("refuses");
  expect(talking([ask({ type: "hitl_approval_request", ask: "api_req_failed" })])).toBe("goesOn");
  expect(talking([ask({ type: "hitl_approval_request", ask: "resume_task" })])).toBe("goesOn");
  expect(talking([ask({ type: "hitl_plan_review" })])).toBe("changes");
  expect(talking([ask({ type: "hitl_input_request" })])).toBe("answers");
});

test("words do not reach the questions of a plan's steps", () => {
  const step = ask({ type: "hitl_approval_request", todo_id: "test", todo: { id: "test", task: "Run the tests.", tool: "agent" } });
  expect(talking([step])).toBeNull();
  expect(talking([step, ask({ type: "hitl_input_request" })])).toBe("answers");
});
