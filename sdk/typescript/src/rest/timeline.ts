// The history of a session as marks and steps.

export type TimelineKind =
  | "user"
  | "assistant"
  | "tool"
  | "question"
  | "answer"
  | "checkpoint"
  | "error"
  | "run"
  | "rewind"
  | "fork";

/** What a question is about. */
export interface TimelineAsked {
  kind:
    | "command"
    | "edit"
    | "fetch"
    | "server"
    | "tool"
    | "requests"
    | "mistakes"
    | "steps"
    | "budget"
    | "month"
    | "time"
    | "retries"
    | "cost"
    | "model"
    | "resume"
    | "doubt"
    | "plan"
    | "input"
    | "clarification";
  /** The command, file, address, input, step, failure, calls, plan or question. */
  subject?: string;
  /** The tool that would be called. */
  tool?: string;
}

export interface TimelineMark {
  message_id: string;
  ts: number;
  kind: TimelineKind;
  label: string;
  /** Which of its kind: of an answer the choice, of a tool its name, of a run or a rewind what happened, of a checkpoint why. */
  what?: string;
  /** What it is about: of an answer the question, of a tool its input, of a run its task, of a rewind the message, of a checkpoint the tool or who asked for it. */
  subject?: string;
  /** What was said with an answer, or the value that was given; of a checkpoint a person's reason. */
  words?: string;
  /** Of a question and its answer: what is asked. */
  asked?: TimelineAsked;
  by_timeout?: boolean;
  /** A rewind or a fork can name it: the session goes to before it. */
  target?: boolean;
  request_id?: string;
  checkpoint?: string;
  task_id?: string;
  hidden?: boolean;
  /** Messages that a rewind took back, and brought back. */
  removed?: number;
  restored?: number;
  /** The session that a fork made. */
  session?: string;
}

/** A part of the history that has a name; it reaches to where the next one begins. */
export interface TimelineStep {
  /** The record that it begins with. */
  message_id: string;
  ts: number;
  kind: "request" | "step" | "subtask";
  title: string;
  status: "asking" | "failed" | "running" | "stopped" | "done";
  /** How many are put together here, if there are too many for one each. */
  count?: number;
}

export interface Timeline {
  marks: TimelineMark[];
  steps: TimelineStep[];
  total: number;
  from_ts: number;
  to_ts: number;
}

export interface TimelineQuery {
  from?: number;
  to?: number;
  hidden?: boolean;
}
