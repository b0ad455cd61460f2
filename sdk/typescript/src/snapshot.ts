import type { ClewError } from "./error.js";
import type {
  AgentState,
  CellInfo,
  CommandType,
  ConnectedData,
  MonitorState,
  NotebookInfo,
  NoticeState,
  PlanSummary,
  Problem,
  Question,
  QueuedMessage,
  RememberedRule,
  RunInfo,
  SessionInfo,
  SettledQuestion,
  StatusInfo,
  TaskInfo,
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

/** The session itself, without its contents, and what this client is in it. */
export interface SessionHead extends SessionInfo, StatusInfo, Partial<ConnectedData> {
  readonly id: string;
}

/** A run with its todos. */
export interface RunView extends RunInfo {
  readonly todos: readonly Todo[];
}

/** The plan in front, of a run or of a task. */
export interface PlanView extends PlanSummary {
  readonly run_id?: string;
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
  /** Everything up to now is in. False before the first sync, and while there is no line. */
  readonly synced: boolean;
  /** Null until the state is there. */
  readonly session: SessionHead | null;
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
  /** The todos of the plan in front. */
  readonly todos: readonly Todo[];
  /** Open questions, the nearest deadline first, then the oldest. */
  readonly questions: readonly Question[];
  /** The last ones that were settled, and how; the newest last. */
  readonly settled: readonly SettledQuestion[];
  readonly queue: readonly QueuedMessage[];
  /** What people let be remembered for tasks, oldest first; `forget_rule` takes one back. */
  readonly allowed: readonly RememberedRule[];
  readonly viewers: readonly Viewer[];
  readonly windows: readonly WindowState[];
  /** What agents want noticed, oldest first; `toast_action` dismisses one. */
  readonly notices: readonly NoticeState[];
  readonly notebooks: readonly NotebookInfo[];
  /** The cells of all notebooks; each notebook has their order. */
  readonly cells: readonly CellInfo[];
  readonly monitors: readonly MonitorState[];
  /** Those that have a turn now, oldest first. */
  readonly agents: readonly AgentState[];
  readonly usage: Usage;
  /** The last errors on record; the newest last. Those that answer a command reject it. */
  readonly problems: readonly Problem[];
  readonly outgoing: readonly Outgoing[];
}
