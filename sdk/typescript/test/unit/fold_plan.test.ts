import { expect, test } from "vitest";
import { Fold } from "../../src/fold.js";
import { idOf } from "../../src/position.js";
import { Transcript } from "../../src/transcript.js";
import type { SessionState } from "../../src/types.gen.js";

const todos = [{ id: "look", task: "Look", status: "pending", depends_on: [], priority: 1 }];
const plan = { id: "p1", status: "approved", version: 1, total_todos: 1 };

test("a task's own plan is there again when the task comes to the front, also if a state held it already", () => {
  const fold = new Fold("s1", new Transcript(100));
  fold.state({ status: "executing", last_message_id: idOf(10), messages: [], open_messages: [], runs: [], plan, todos, hitl_pending: null, hitl_queue: [], windows: [], monitors: [] } as unknown as SessionState, false, false);
  const tell = (seq: number, type: string, data: object): void => fold.envelope({ type, message_id: idOf(seq), data } as never);
  const task = (id: string): object => ({ task_id: id, root_task_id: "t1" });
  tell(2, "task_created", task("t1"));
  tell(3, "task_focused", task("t1"));
  tell(4, "plan_generated", { task_id: "t1", plan_id: "p1", version: 1, status: "approved", todos });
  fold.complete();
  expect(fold.plan).toMatchObject(plan);
  tell(11, "task_created", { ...task("t2"), parent_task_id: "t1" });
  tell(12, "task_focused", task("t2"));
  expect(fold.plan).toBeNull();
  tell(13, "task_focused", task("t1"));
  expect(fold.plan).toEqual(plan);
  expect(fold.todos).toEqual(todos);
});
