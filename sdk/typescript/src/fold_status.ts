import { runEnded, type FoldedRun } from "./fold_runs.js";
import type { Tasks } from "./fold_tasks.js";
import type { SessionInfo } from "./snapshot.js";
import type { EventData, SessionStatus } from "./types.gen.js";

/** The events that move the status, and those of them that may end the work. */
const ends: readonly (keyof EventData)[] = [
  "task_resumable",
  "task_idle",
  "task_completed",
  "task_aborted",
  "task_unfocused",
  "complete",
  "failed",
  "cancelled",
  "history_rewound",
  "rewind_undone",
  "rewind_failed",
  "checkpoint_restored",
];
const moves: readonly (keyof EventData)[] = [
  ...ends,
  "message_accepted",
  "task_active",
  "task_started",
  "task_unpaused",
  "task_interactive",
  "task_focused",
  "hitl_resolved",
  "hitl_paused",
  "hitl_resumed",
  "layer_start",
  "plan_approved",
  "plan_rejected",
  "rewind_started",
];

export const mayMove = (type: keyof EventData): boolean => moves.includes(type);
export const mayEnd = (type: keyof EventData): boolean => ends.includes(type);

/** What the status follows from. */
interface Facts {
  tasks: Tasks;
  runs: readonly FoldedRun[];
  front: string | undefined; // the run whose plan is shown
  waiting: boolean; // a question is open
  returning: boolean;
}

/** Puts the status together from tasks, questions and the run in front. */
export function statusOf(f: Facts): SessionStatus {
  const list = f.tasks.list();
  const held = (root: string): boolean => f.runs.some((r) => r.task_id === root && r.paused);
  const busy = f.returning || list.some((t) => t.status === "active" && !held(t.root_task_id));
  const atWork = busy || list.some((t) => t.status === "active" || t.status === "interactive");
  const run = runInFront(f);
  if (run && (!runEnded(run) || !atWork)) {
    if ((run.status !== "executing" && run.status !== "planning") || !f.waiting || busy) return run.status;
    return "awaiting_input";
  }
  if (busy) return "executing";
  if (f.waiting) return "awaiting_input";
  return atWork ? "executing" : "idle";
}

function runInFront({ tasks, runs, front }: Facts): FoldedRun | undefined {
  const current = tasks.get(tasks.current);
  if (current) return runs.find((r) => r.task_id === current.task_id);
  return tasks.partial && tasks.current === "" ? runs.find((r) => r.run_id === front) : undefined;
}

/** The session itself after an event. */
export function sessionAfter(s: SessionInfo, type: keyof EventData, data: unknown): SessionInfo {
  const d = { [type]: data } as Partial<EventData>;
  if (d.session_created) {
    const { owner, title, workspace, forked_from } = d.session_created;
    return { ...s, owner, title, workspace, forkedFrom: forked_from };
  }
  if (d.session_imported) {
    const { owner, title, workspace } = d.session_imported;
    return { ...s, owner, title: title ?? "", workspace };
  }
  if (d.session_renamed) return { ...s, title: d.session_renamed.title };
  if (d.session_archived) return { ...s, archived: d.session_archived.archived };
  if (d.rewind_started) return { ...s, returning: d.rewind_started };
  if (d.rewind_failed) return { ...s, returning: undefined };
  if (d.history_rewound) {
    const { redo, files } = d.history_rewound;
    return { ...s, returning: undefined, canUndo: true, canRedo: redo ? s.canRedo : false, checkpoint: files?.hash ?? s.checkpoint };
  }
  if (d.rewind_undone) return { ...s, returning: undefined, canRedo: true, checkpoint: d.rewind_undone.files?.hash ?? s.checkpoint };
  if (d.checkpoint_saved) return { ...s, checkpoint: d.checkpoint_saved.to_hash };
  if (d.checkpoint_restored) return { ...s, returning: undefined, checkpoint: d.checkpoint_restored.commit_hash };
  if (d.message_created?.message.role === "user" && s.canRedo) return { ...s, canRedo: false };
  return s;
}
