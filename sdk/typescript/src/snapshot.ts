import type { ClewError } from "./error.js";
import type {
  CancelledData,
  CommandType,
  CompleteData,
  FailedData,
  ForkPoint,
  HitlResolvedData,
  Layer,
  MonitorState,
  PlanGeneratedData,
  PlanSummary,
  Question,
  QueuedMessage,
  RememberedRule,
  RewindStartedData,
  Role,
  RunState,
  SessionStatus,
  Todo,
  Usage,
  Viewer,
  WindowState,
} from "./types.gen.js";

/**
 * How a connection stands. Pausing a run does not change it.
 *
 * - `disconnected`: not connected, and not trying
 * - `connecting`: the first attempt is under way
 * - `connected`: the socket is open, the past is coming in
 * - `active`: in sync and live
 * - `reconnecting`: the connection broke and is being opened again
 * - `failed`: given up; `lastError` says why
 */
export type ConnectionState = "disconnected" | "connecting" | "connected" | "active" | "reconnecting" | "failed";

export interface Connection {
  readonly state: ConnectionState;
  /** Attempts since the line was good; 0 while it is. */
  readonly attempt: number;
  /** How long the wait before the next attempt is, from `since` on. */
  readonly nextRetryMs?: number;
  /** When this state began, by this machine's clock. */
  readonly since: number;
  readonly lastError?: ClewError;
  /** The browser says that there is no network. */
  readonly offline: boolean;
  /** How long a question took to be answered over this line. */
  readonly rttMs?: number;
}

/** The session itself, without its contents. */
export interface SessionInfo {
  readonly id: string;
  readonly status: SessionStatus;
  readonly layer: Layer | null;
  readonly title: string;
  readonly owner: string;
  /** What this client may do in the session. */
  readonly role?: Role;
  readonly workspace?: string;
  readonly clientId: string;
  readonly epoch: string;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Files are being taken back; nothing else happens meanwhile. */
  readonly returning?: RewindStartedData;
  readonly checkpoint?: string;
  readonly forkedFrom?: ForkPoint;
  /** It was put away: lists of sessions leave it out. */
  readonly archived: boolean;
}

/** A task as its events tell. */
export interface TaskInfo {
  readonly task_id: string;
  readonly parent_task_id?: string;
  readonly root_task_id: string;
  readonly monitor_id?: string;
  readonly run_id?: string;
  readonly todo_id?: string;
  readonly task?: string;
  readonly mode?: string;
  readonly status: "active" | "interactive" | "resumable" | "idle" | "paused" | "completed" | "aborted";
  readonly focused: boolean;
  readonly request_id?: string;
  readonly usage?: Usage;
  readonly result_summary?: string;
}

/** A run, with what it ended with if it did so before our eyes. */
export interface RunView extends Omit<RunState, "ended"> {
  readonly ended?:
    | ({ readonly type: "complete" } & CompleteData)
    | ({ readonly type: "failed" } & FailedData)
    | ({ readonly type: "cancelled" } & CancelledData);
}

/** The plan of the newest run. `details` is there once its event was seen. */
export interface PlanView extends PlanSummary {
  readonly run_id?: string;
  readonly details?: PlanGeneratedData;
}

/** A question that is settled, and how. */
export interface SettledQuestion {
  readonly question?: Question;
  readonly resolved: HitlResolvedData;
  /** When, by the server's clock. */
  readonly ts: number;
}

/** An error that the session reported as a record or an answer. */
export interface ReportedError {
  readonly error: ClewError;
  readonly ts: number;
  /** The record, if it is one. */
  readonly messageId?: string;
}

/**
 * A command on its way.
 *
 * - `unsent`: there is no line; it goes out as soon as there is one
 * - `sent`: it is out, and there is no word about it yet
 * - `unconfirmed`: it was out when the line broke; it goes out again under the
 *   same id, so that it takes effect once
 */
export interface Outgoing {
  readonly id: string;
  readonly type: CommandType;
  readonly data: unknown;
  readonly state: "unsent" | "sent" | "unconfirmed";
  /** When it was handed over, by this machine's clock. */
  readonly since: number;
}

/**
 * All of a session at one moment. It never changes; a new one takes its place.
 * Parts that did not change are the same objects as before.
 */
export interface SessionSnapshot {
  readonly connection: Connection;
  /** Everything up to now is in. False before the first sync and during a replay. */
  readonly synced: boolean;
  /** Null until the first session_state. */
  readonly session: SessionInfo | null;
  /** The newest record that is in the snapshot. */
  readonly lastMessageId: string | null;
  /** The messages held, in order. Read one with `store.message(id)`. */
  readonly messageIds: readonly string[];
  /** There are messages before the first one held. */
  readonly hasOlder: boolean;
  /** There are messages after the last one held: they were dropped to save memory. */
  readonly hasNewer: boolean;
  /** The messages that grow right now. */
  readonly streaming: readonly string[];
  readonly tasks: readonly TaskInfo[];
  readonly runs: readonly RunView[];
  readonly plan: PlanView | null;
  readonly todos: readonly Todo[];
  /** Open questions, the nearest deadline first, then the oldest. */
  readonly questions: readonly Question[];
  /** The last ones that were settled before our eyes, newest first. */
  readonly settled: readonly SettledQuestion[];
  readonly queue: readonly QueuedMessage[];
  /** What people let be remembered for tasks, oldest first; `forget_rule` takes one back. */
  readonly allowed: readonly RememberedRule[];
  readonly viewers: readonly Viewer[];
  readonly windows: readonly WindowState[];
  readonly monitors: readonly MonitorState[];
  readonly usage: Usage;
  /** The last errors, newest first. */
  readonly errors: readonly ReportedError[];
  readonly outgoing: readonly Outgoing[];
}
