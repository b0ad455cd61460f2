import type { TranscriptMessage } from "@clew-run/client";
import type { Note } from "./notes";

/** Who speaks: a person, the session's agent, or the agent of a subtask. */
export type Voice = "user" | "agent" | "sub" | "system";

export type RowKind =
  | "user" // a person's words
  | "text" // an agent's words
  | "brief" // what a subtask, or a step of a run, was told
  | "reasoning"
  | "call" // a tool call, with its output
  | "reads" // several calls that only looked
  | "question" // an ask that is no tool call
  | "result" // how a task ended
  | "output" // output whose call is not held
  | "cell" // what a run of a notebook's cell put out
  | "error"
  | "marker" // a slim note on the thread
  | "return" // the session was taken back or forth, or forked; no message
  | "meta" // the model calls of a turn
  | "group"; // the head of a subtask or of a plan's step

/** A line of the transcript: one message, or several that belong together. */
export interface Row {
  /** The first message's id: it stays when more joins the row. */
  key: string;
  kind: RowKind;
  id: string;
  /** The other messages: outputs of a call or a cell, calls of `reads`, model calls of `meta`. */
  more: readonly string[];
  voice: Voice;
  /** The first row of somebody who begins to speak: it has a head with name and time. */
  head: boolean;
  /** What a row of kind "return" tells. */
  note?: Note;
  /** The task of the group that it heads or stands in. */
  group?: string;
  /** Of a group's head: the rows in it, shown or not. */
  inner?: Row[];
  /** Which part of its group's card it is. */
  card?: Card;
}

/** A part of a card that several rows make up. */
export interface Card {
  first: boolean;
  last: boolean;
  /** Somebody works in it: its border is tinted. */
  live: boolean;
  /** Of a head: its rows are shown. */
  open: boolean;
  /** The last row of its group. */
  end: boolean;
  /** How many groups of the card it stands in: 0 for the card's own heads. */
  depth: number;
}

export interface RowOptions {
  /** Show model calls. */
  verbose: boolean;
  /** Messages that wait in line; they stand above the composer. */
  queued: ReadonlySet<string>;
  /** Calls with an open question: they stay on their own. */
  asking: ReadonlySet<string>;
  /** The tasks that are groups, with those that started them, as the server says. */
  tasks?: ReadonlyMap<string, Started>;
}

/** Who started a task: another one, by a call. */
interface Started {
  parent?: string;
  call?: string;
}

const quietTools = new Set(["read_file", "list_files", "search_files", "read_output"]);
const calls = new Set(["tool", "command", "use_mcp_server", "browser_action_launch"]);
const outputs = new Set([
  "command_output",
  "codebase_search_result",
  "mcp_server_request_started",
  "mcp_server_response",
  "browser_action",
  "browser_action_result",
]);
const markers = new Set([
  "condense_context",
  "sliding_window_truncation",
  "checkpoint_saved",
  "user_edit_todos",
  "api_req_retry_delayed",
  "model_fallback",
  "instructions_read",
  "files_attached",
  "git",
  "browser_session_status",
  "kernel_status",
  "shell_integration_warning",
]);
const errors = new Set(["error", "condense_context_error", "diff_error", "rooignore_error"]);
const metas = new Set(["api_req_started", "api_req_finished", "api_req_retried", "api_req_deleted"]);

/** Whether a message says that a person stopped a model call. */
export function isStop(m: TranscriptMessage): boolean {
  return m.say === "api_req_deleted" && m.why_code === "interrupted";
}

/** What a message is in the transcript; null for what is not shown. */
export function kindOf(m: TranscriptMessage): RowKind | null {
  if (m.type === "ask") {
    if (m.ask === "command_output") return "output";
    return m.ask !== undefined && calls.has(m.ask) ? "call" : "question";
  }
  const say = m.say ?? "text";
  if (m.cell) return "cell";
  if (m.role === "user" && m.agent_id) return "brief"; // no person wrote it
  if (say === "user_feedback" || say === "user_feedback_diff") return "user";
  if (say === "reasoning") return "reasoning";
  if (say === "completion_result" || say === "subtask_result") return "result";
  if (isStop(m)) return "marker";
  if (metas.has(say)) return "meta";
  if (outputs.has(say)) return "output";
  if (markers.has(say)) return "marker";
  if (errors.has(say)) return "error";
  if (m.role === "user") return "user";
  if (!m.partial && !m.text && !m.reasoning && !m.images?.length) return null;
  return "text";
}

function voiceOf(m: TranscriptMessage, kind: RowKind): Voice {
  if (kind === "user") return "user";
  if (kind === "marker" || kind === "error" || kind === "meta" || kind === "cell") return "system";
  return isSub(m) || kind === "brief" ? "sub" : "agent";
}

/** Whether a message is of an agent beside the session's own: of a subtask, a plan's step, or a window. */
export function isSub(m: TranscriptMessage): boolean {
  return m.agent_kind === "task" || m.agent_kind === "step" || m.agent_kind === "window";
}

/** Whether a message tells an agent what became of a task that it did not wait for. What a task is told to do has the call that began it. */
export function isWoken(m: TranscriptMessage): boolean {
  return m.role === "user" && m.agent_kind === "task" && !m.tool_call_id;
}

/** The name of a call's tool. */
export function toolName(m: TranscriptMessage): string {
  return m.tool?.name ?? (m.ask === "command" ? "execute_command" : m.ask === "use_mcp_server" ? "mcp" : "tool");
}

/** Where rows are put: the conversation itself, or a group in it. */
interface Lane {
  rows: Row[];
  calls: Map<string, Row>; // by tool_call_id
  cells: Map<string, Row>; // by the run of a cell
  looked: Set<string>; // calls that only look: what they saw is loaded when somebody unfolds them
  meta: Row | null;
  speaker: string;
}

/**
 * Puts the messages into rows. What a subtask or a plan's step says and does stands in a
 * group, where the first of it was, however much of others came between. It looks at
 * kinds, not at texts, so that growing text changes nothing.
 */
export function buildRows(
  ids: readonly string[],
  get: (id: string) => TranscriptMessage | undefined,
  o: RowOptions,
): Row[] {
  const main = newLane([]);
  const groups = new Map<string, Lane>(); // by task
  const ended = new Set<string>(); // tasks whose result stands in their group
  const given: string[] = []; // calls that gave work to a group that is shown; models use ids again
  const laneOf = (task: string, id: string): Lane => {
    const known = groups.get(task);
    if (known) return known;
    const parent = o.tasks?.get(task)?.parent;
    const around = parent && o.tasks!.has(parent) ? laneOf(parent, id) : main;
    const lane = newLane([]);
    groups.set(task, lane);
    around.rows.push({ ...row(id, "group", "sub"), key: `group:${task}`, group: task, inner: lane.rows });
    return lane;
  };

  for (const id of ids) {
    const m = get(id);
    if (!m || o.queued.has(id)) continue;
    const kind = kindOf(m);
    if (!kind) continue;
    if (m.say === "subtask_result") {
      // the group has it, if there is one
      const told = given.lastIndexOf(m.tool_call_id ?? "");
      if (told >= 0) given.splice(told, 1);
      if (told >= 0 || [...ended].some((task) => isChild(o.tasks?.get(task), m))) continue;
    }
    const task = groupOf(m, kind, o);
    if (task && m.say === "completion_result") ended.add(task);
    if (task && kind === "meta" && !groups.has(task)) continue; // nothing to show of it yet
    if (kind === "brief" && m.tool_call_id) given.push(m.tool_call_id);
    addTo(task ? laneOf(task, id) : main, m, kind, get, o, task);
  }
  for (const lane of [main, ...groups.values()]) closeTurn(lane, o);
  return main.rows;
}

function newLane(rows: Row[]): Lane {
  return { rows, calls: new Map(), cells: new Map(), looked: new Set(), meta: null, speaker: "" };
}

/** The task whose group a message stands in, undefined for the session's own agent and for people. */
function groupOf(m: TranscriptMessage, kind: RowKind, o: RowOptions): string | undefined {
  if (m.say === "subtask_result") return m.task_id && o.tasks?.has(m.task_id) ? m.task_id : undefined; // told to the one that started it
  if (isWoken(m) && !o.tasks?.has(m.task_id!)) return undefined; // the session's own agent is told of it
  return kind === "brief" || (isSub(m) && m.role !== "user") ? m.task_id : undefined;
}

/** Whether what a subtask came to is that of this task. */
function isChild(task: Started | undefined, result: TranscriptMessage): boolean {
  return task?.parent !== undefined && task.parent === result.task_id && task.call === result.tool_call_id;
}

/** The rows with all that stand in their groups. */
export function everyRow(rows: readonly Row[]): Row[] {
  return rows.flatMap((r) => (r.inner ? [r, ...everyRow(r.inner)] : [r]));
}

function closeTurn(lane: Lane, o: RowOptions): void {
  if (lane.meta && o.verbose) lane.rows.push(lane.meta);
  lane.meta = null;
}

function addTo(
  lane: Lane,
  m: TranscriptMessage,
  kind: RowKind,
  get: (id: string) => TranscriptMessage | undefined,
  o: RowOptions,
  group: string | undefined,
): void {
  const id = m.message_id;
  if (kind === "meta") {
    if (lane.meta) (lane.meta.more as string[]).push(id);
    else lane.meta = { ...row(id, "meta", "system"), group };
    return;
  }
  if (kind === "output" && m.tool_call_id && lane.looked.has(m.tool_call_id)) return;
  const owner =
    kind === "cell"
      ? lane.cells.get(m.cell!.run_id)
      : kind === "output" && m.tool_call_id
        ? lane.calls.get(m.tool_call_id)
        : undefined;
  if (owner) {
    (owner.more as string[]).push(id);
    return;
  }
  const last = lane.rows.at(-1);
  if (kind === "user") closeTurn(lane, o);
  if (kind === "call" && m.tool_call_id) lane.looked[quiet(m, o) ? "add" : "delete"](m.tool_call_id); // models use ids again
  if (kind === "call" && last && joins(last, m, get, o)) {
    last.kind = "reads";
    (last.more as string[]).push(id);
    return;
  }
  const r = row(id, kind, voiceOf(m, kind));
  if (group) r.group = group; // who speaks in a group is said by its head
  else {
    const who =
      r.voice === "user"
        ? `user:${m.user_id ?? ""}`
        : r.voice === "system"
          ? lane.speaker
          : `${r.voice}:${m.task_id ?? ""}`;
    r.head = r.voice !== "system" && (who !== lane.speaker || r.voice === "user");
    lane.speaker = who;
  }
  if (kind === "call" && m.tool_call_id) lane.calls.set(m.tool_call_id, r);
  if (kind === "cell") lane.cells.set(m.cell!.run_id, r);
  lane.rows.push(r);
}

function row(id: string, kind: RowKind, voice: Voice): Row {
  return { key: kind === "meta" ? `meta:${id}` : id, kind, id, more: [], voice, head: false };
}

/** Whether a call that only looks stands in a row with the ones before it. */
function joins(
  last: Row,
  m: TranscriptMessage,
  get: (id: string) => TranscriptMessage | undefined,
  o: RowOptions,
): boolean {
  const before = get(last.more.at(-1) ?? last.id);
  if (!before || (last.kind !== "reads" && last.kind !== "call")) return false;
  if (before.task_id !== m.task_id) return false;
  return quiet(before, o) && quiet(m, o);
}

function quiet(m: TranscriptMessage, o: RowOptions): boolean {
  return (
    m.ask === "tool" &&
    !m.request_id &&
    quietTools.has(toolName(m)) &&
    !(m.tool_call_id && o.asking.has(m.tool_call_id))
  );
}

/** Whether two rows show the same messages in the same way. */
export function sameRow(a: Row, b: Row): boolean {
  return (
    a === b ||
    (sameCard(a.card, b.card) &&
      a.key === b.key &&
      a.kind === b.kind &&
      a.voice === b.voice &&
      a.head === b.head &&
      a.note === b.note &&
      a.more.length === b.more.length &&
      a.more.every((id, i) => id === b.more[i]))
  );
}

function sameCard(a: Card | undefined, b: Card | undefined): boolean {
  return (
    a === b ||
    (a !== undefined &&
      b !== undefined &&
      a.first === b.first &&
      a.last === b.last &&
      a.live === b.live &&
      a.open === b.open &&
      a.end === b.end &&
      a.depth === b.depth)
  );
}
