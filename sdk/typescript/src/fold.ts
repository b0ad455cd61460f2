import type { ToolCall, TranscriptMessage } from "./held.js";
import { errorOf } from "./error.js";
import { foldRun, newRun, openedIn, planOf, runEnded, settledIn, type FoldedRun } from "./fold_runs.js";
import { mayEnd, mayMove, sessionAfter, statusOf } from "./fold_status.js";
import { allowedAfter, changesAllowed } from "./fold_rules.js";
import { byDeadline, foldCall, isQuestion, queueAfter } from "./fold_talk.js";
import { addUsage, noUsage, Tasks } from "./fold_tasks.js";
import { windowsAfter } from "./fold_windows.js";
import { answerOf, endedCall, toolAfter, toolMessage } from "./outcome.js";
import { seqOf, type AnyEnvelope } from "./position.js";
import type { PlanView, ReportedError, RunView, SessionInfo, SettledQuestion } from "./snapshot.js";
import type { Transcript } from "./transcript.js";
import type {
  ActionsData,
  ErrorData,
  EventData,
  HistoryRewoundData,
  HitlResolvedData,
  Message,
  MessageAcceptedData,
  MonitorState,
  Question,
  QueuedMessage,
  RememberedRule,
  SessionState,
  Todo,
  ToolProgressData,
  Usage,
  Viewer,
  WindowState,
} from "./types.gen.js";

const kept = 50; // errors and settled questions
const callsKept = 1000;

/**
 * Folds envelopes into a session's state, as the protocol says. A record that
 * a session_state already holds only fills in the transcript.
 */
export class Fold {
  readonly transcript: Transcript;
  readonly tasks = new Tasks();
  session: SessionInfo | null = null;
  synced = false;
  lastMessageId: string | null = null;
  runs: readonly FoldedRun[] = [];
  plan: PlanView | null = null;
  todos: readonly Todo[] = [];
  questions: readonly Question[] = [];
  settled: readonly SettledQuestion[] = [];
  queue: readonly QueuedMessage[] = [];
  allowed: readonly RememberedRule[] = [];
  viewers: readonly Viewer[] = [];
  windows: readonly WindowState[] = [];
  monitors: readonly MonitorState[] = [];
  usage: Usage = noUsage;
  errors: readonly ReportedError[] = [];
  readonly calls = new Map<string, ToolCall>();
  readonly changedCalls = new Set<string>();
  /** A record changed what only a session_state tells. */
  stale = false;
  /** The status is a guess: this client does not know all tasks. */
  unsure = false;

  readonly #id: string;
  #stateSeq = 0;
  #asked: Question[] = []; // open ones, in the order they were asked
  readonly #known = new Map<string, Question>(); // also settled ones
  readonly #messageOfQuestion = new Map<string, string>();
  readonly #taskPlans = new Map<string, { plan: PlanView; todos: readonly Todo[] }>();
  readonly #callUsage = new Map<string, Usage>(); // of calls since the task's last sum
  #open: SessionState["open_messages"] = [];

  constructor(id: string, transcript: Transcript) {
    this.#id = id;
    this.transcript = transcript;
  }

  /** Takes a session_state in. `anew` says that what is held does not count any more. */
  state(s: SessionState, anew: boolean, asked: boolean): void {
    this.#stateSeq = seqOf(s.last_message_id);
    this.lastMessageId = s.last_message_id;
    this.session = {
      id: this.#id,
      status: s.status,
      layer: s.current_layer,
      title: s.title,
      owner: s.owner,
      role: s.role,
      workspace: s.workspace,
      clientId: s.client_id,
      epoch: s.epoch,
      canUndo: s.can_undo ?? false,
      canRedo: s.can_redo ?? false,
      returning: s.returning,
      checkpoint: s.checkpoint,
      forkedFrom: s.forked_from,
      archived: s.archived ?? false,
    };
    if (anew) this.#messages(s);
    else if (asked) this.transcript.mend(s.messages);
    if (anew || asked) this.index(s.messages);
    if (asked) this.transcript.open(s.open_messages);
    this.#open = s.open_messages;
    this.#stateParts(s, anew);
    this.stale = false;
    this.unsure = false;
  }

  #messages(s: SessionState): void {
    this.transcript.replace(s.messages);
    // A tail that is as long as a server gives is probably not all.
    this.transcript.hasOlder = s.messages.length > 0 && !isFirst(s.messages[0]!);
    this.transcript.open(s.open_messages);
    this.calls.clear();
    this.settled = [];
    this.errors = [];
    this.#known.clear();
    this.#messageOfQuestion.clear();
  }

  #stateParts(s: SessionState, anew: boolean): void {
    if (anew) {
      this.tasks.clear(seqOf(s.last_message_id) > 1);
      this.#taskPlans.clear();
      this.#callUsage.clear();
    }
    this.#asked = s.hitl_pending ? [s.hitl_pending, ...s.hitl_queue] : [];
    const before = anew ? [] : this.runs;
    this.runs = s.runs.map((r) => {
      const old = before.find((b) => b.run_id === r.run_id);
      const front = s.plan !== null && r.plan?.id === s.plan.id;
      return { ...r, todos: front ? s.todos : r.todos, details: old?.details, ended: old?.ended, review: this.#reviewOf(r) };
    });
    this.#front = this.runs.find((r) => s.plan !== null && r.plan?.id === s.plan.id)?.run_id;
    this.plan = s.plan && { ...s.plan, run_id: this.#front, details: this.#run(this.#front)?.details };
    this.todos = s.todos;
    for (const q of this.#asked) this.#know(q);
    this.questions = byDeadline(this.#asked);
    // A rewind may have opened a question again that was settled before our eyes.
    const open = new Set(this.#asked.map((q) => q.request_id));
    if (this.settled.some((d) => open.has(d.resolved.request_id))) this.settled = this.settled.filter((d) => !open.has(d.resolved.request_id));
    this.queue = s.queue ?? (anew ? [] : this.queue);
    this.allowed = s.allowed ?? [];
    this.viewers = s.viewers ?? this.viewers;
    this.windows = s.windows;
    this.monitors = s.monitors;
    this.usage = s.usage ?? noUsage;
  }

  /** The open question about a run's plan. */
  #reviewOf(run: Pick<RunView, "task_id">): string | undefined {
    return this.#asked.find((q) => q.type === "hitl_plan_review" && q.task_id === run.task_id)?.request_id;
  }

  #front: string | undefined; // the run whose plan is shown

  /** The replay is over. */
  complete(): void {
    this.synced = true;
    // Open texts are as of the session_state, which the replay has now reached.
    this.transcript.open(this.#open);
    this.#open = [];
  }

  /** Folds any envelope but session_state and sync_complete. */
  envelope(env: AnyEnvelope): void {
    const seq = seqOf(env.message_id);
    const ts = Date.parse(env.timestamp ?? "") || 0;
    const type = env.type as keyof EventData;
    this.#fill(type, env.data, ts, seq);
    if (type === "error") this.#report(env, ts);
    if (type === "presence") this.viewers = (env.data as EventData["presence"]).viewers;
    if (seq === 0) return;
    if (seq > seqOf(this.lastMessageId)) this.lastMessageId = env.message_id!;
    if (seq > this.#stateSeq) this.#usage(type, env.data);
    this.#taskFacts(type, env.data); // no session_state has them, so old records count, too
    if (seq > this.#stateSeq) this.#change(type, env.data, ts);
  }

  /** What fills in the transcript, be it old or new. */
  #fill(type: keyof EventData, data: unknown, ts: number, seq: number): void {
    switch (type) {
      case "message_created":
      case "message_updated": {
        const { message } = data as { message: Message };
        this.transcript[type === "message_created" ? "create" : "update"](message);
        this.index([message]);
        break;
      }
      case "agent_response":
      case "agent_thinking": {
        const d = data as EventData["agent_response"];
        this.transcript.grow(d.message_id, type === "agent_response" ? "text" : "reasoning", d.offset, d.delta);
        break;
      }
      case "history_rewound": {
        const d = data as HistoryRewoundData;
        if (!d.redo) this.transcript.cut(d.from_message_id, d.keep_target);
        this.stale = true;
        break;
      }
      case "rewind_undone":
        this.stale = true; // its messages come with the state
        break;
      case "queue_changed": {
        const { removed } = data as EventData["queue_changed"];
        if (removed) this.transcript.remove(removed);
        break;
      }
      case "tool_progress":
        this.#call(data as ToolProgressData, seq);
        break;
      case "message_accepted": {
        const { message_id, delivery } = data as MessageAcceptedData;
        if (delivery && message_id && !this.transcript.get(message_id)?.delivery) this.transcript.note(message_id, { delivery });
        break;
      }
      case "hitl_resolved":
        this.#resolved(data as HitlResolvedData, ts);
        break;
      case "task_idle":
      case "task_completed":
      case "task_aborted": {
        const { task_id, request_id } = data as EventData["task_idle"];
        if (!request_id) this.#endCalls(task_id); // else it waits, and so do its calls
        break;
      }
      default:
        if (isQuestion(type)) this.#know({ type, ...(data as object) } as Question);
    }
  }

  /** What changes the state; only for records that no session_state holds yet. */
  #change(type: keyof EventData, data: unknown, ts: number): void {
    if (isQuestion(type)) this.#open_({ type, ...(data as object) } as Question);
    else if (type.startsWith("task_")) this.#task(type, data as { task_id: string });
    else if (type.startsWith("hitl_")) this.#hitl(type, data);
    if (this.session) this.session = sessionAfter(this.session, type, data);
    if (type === "actions") this.windows = windowsAfter(this.windows, data as ActionsData);
    if (type === "window_agent_status") this.stale = true; // it comes with the state
    this.allowed = allowedAfter(this.allowed, type, data);
    if (changesAllowed(type, data)) this.stale = true;
    this.queue = queueAfter(this.queue, type, data, ts, this.transcript);
    this.#runEvent(type, data, ts);
    this.#status(type);
  }

  #taskFacts(type: keyof EventData, data: unknown): void {
    const { run_id, task_id } = (data ?? {}) as { run_id?: string; task_id?: string };
    if (isPlan(type) && !run_id && task_id) this.#taskPlan(task_id, type, data);
    if (type.startsWith("task_")) this.tasks.fold(type, data as { task_id: string });
    if (type === "message_accepted") {
      const d = data as MessageAcceptedData;
      const t = this.tasks.get(d.task_id);
      if (t && d.delivery === "direct") this.tasks.set({ ...t, status: "active", request_id: undefined });
    }
    if (type === "task_spawned") {
      const d = data as EventData["task_spawned"];
      const child = this.tasks.get(d.child_task_id);
      const parent = this.tasks.get(d.task_id);
      if (child) this.tasks.set({ ...child, status: "active" });
      if (parent && !child?.todo_id) this.tasks.set({ ...parent, status: "paused" });
    }
  }

  #task(type: keyof EventData, data: { task_id: string }): void {
    if (type === "task_created") {
      const { run_id, todo_id, monitor_id } = data as EventData["task_created"];
      if (run_id && !todo_id) this.runs = [...this.runs, newRun(run_id, data.task_id, monitor_id ?? "")];
    }
    if (type === "task_focused" || type === "task_unfocused") this.#refront();
  }

  /** The plan that is shown is that of the task in front. */
  #refront(): void {
    const t = this.tasks.get(this.tasks.current);
    const run = this.runs.find((r) => r.task_id === (t?.root_task_id ?? ""));
    this.#front = run?.run_id;
    if (run) {
      this.plan = planOf(run);
      this.todos = run.todos;
    } else {
      const own = t && this.#taskPlans.get(t.task_id);
      this.plan = own?.plan ?? null;
      this.todos = own?.todos ?? [];
      if (t && !own && this.tasks.partial) this.stale = true;
    }
    this.#layer();
  }

  /** Sums usage up. A task tells its own sum, so what it told before has to be known. */
  #usage(type: keyof EventData, data: unknown): void {
    const d = { [type]: data } as Partial<EventData>;
    const m = d.message_created?.message ?? d.message_updated?.message;
    if (m?.say === "api_req_finished" && m.usage && m.task_id) {
      this.#callUsage.set(m.task_id, addUsage(this.#callUsage.get(m.task_id) ?? noUsage, m.usage, noUsage));
    }
    const sum = d.task_token_usage_updated;
    if (!sum) return;
    const before = this.tasks.usageOf(sum.task_id);
    if (before) this.usage = addUsage(this.usage, sum.token_usage, before);
    else this.usage = addUsage(this.usage, this.#callUsage.get(sum.task_id) ?? noUsage, noUsage);
    this.#callUsage.delete(sum.task_id);
  }

  #open_(q: Question): void {
    const at = this.#asked.findIndex((o) => o.request_id === q.request_id);
    this.#asked = at < 0 ? [...this.#asked, q] : this.#asked.map((o, i) => (i === at ? q : o));
    this.questions = byDeadline(this.#asked);
    this.runs = this.runs.map((r) => openedIn(r, q));
  }

  #hitl(type: keyof EventData, data: unknown): void {
    if (type === "hitl_assigned") {
      const { request_id, assignee } = data as EventData["hitl_assigned"];
      this.#asked = this.#asked.map((q) => (q.request_id === request_id ? { ...q, assignee: assignee || undefined } : q));
      this.questions = byDeadline(this.#asked);
    } else if (type === "hitl_resolved") {
      const d = data as HitlResolvedData;
      const q = this.#asked.find((o) => o.request_id === d.request_id);
      if (!q) return;
      this.#asked = this.#asked.filter((o) => o !== q);
      this.questions = byDeadline(this.#asked);
      this.runs = this.runs.map((r) => settledIn(r, q, d));
    }
  }

  #runEvent(type: keyof EventData, data: unknown, ts: number): void {
    const runId = (data as { run_id?: string } | undefined)?.run_id;
    const own = (data as { task_id?: string } | undefined)?.task_id;
    if (!runId && own && isPlan(type) && (this.tasks.current === own || (this.tasks.current === "" && this.tasks.partial))) {
      ({ plan: this.plan, todos: this.todos } = this.#taskPlans.get(own)!);
    }
    this.runs = sameIfUnchanged(this.runs, (r) => (r.run_id === runId ? foldRun(r, type, data as never, ts) : r));
    const front = this.#run(this.#front);
    if (!front) return;
    if (this.plan?.run_id !== front.run_id || !samePlan(this.plan, front)) this.plan = planOf(front);
    this.todos = front.todos;
    this.#layer();
  }

  #layer(): void {
    const front = this.#run(this.#front);
    const layer = front && !runEnded(front) ? (front.current_layer ?? null) : null;
    if (this.session && this.session.layer !== layer) this.session = { ...this.session, layer };
  }

  /** The todo list that an agent keeps for itself. */
  #taskPlan(task: string, type: string, data: unknown): void {
    const g = data as EventData["plan_generated"];
    const m = data as EventData["plan_modified"];
    const todos = type === "plan_generated" ? g.todos : m.updated_todos;
    const version = type === "plan_generated" ? g.version : m.new_version;
    this.#taskPlans.set(task, { plan: { id: g.plan_id, status: "approved", version, total_todos: todos.length }, todos });
  }

  #run(id: string | undefined): FoldedRun | undefined {
    return id === undefined ? undefined : this.runs.find((r) => r.run_id === id);
  }

  #call(d: ToolProgressData, seq: number): void {
    const call = foldCall(this.calls.get(d.tool_call_id), d);
    this.calls.delete(d.tool_call_id); // the newest stand last
    this.calls.set(d.tool_call_id, call);
    this.changedCalls.add(d.tool_call_id);
    if (this.calls.size > callsKept) this.calls.delete(this.calls.keys().next().value!);
    const id = toolMessage(seq, d);
    const m = id === undefined ? undefined : this.transcript.get(id);
    const tool = m && toolAfter(m, d);
    if (tool) this.transcript.note(id, { tool });
  }

  #know(q: Question): void {
    this.#known.set(q.request_id, q);
    if (q.message_id) this.#messageOfQuestion.set(q.request_id, q.message_id);
    if (this.#known.size > 500) this.#known.delete(this.#known.keys().next().value!);
  }

  #resolved(d: HitlResolvedData, ts: number): void {
    if (this.settled.some((s) => s.resolved.request_id === d.request_id && s.ts === ts)) return;
    const question = this.#known.get(d.request_id);
    this.settled = [{ question, resolved: d, ts }, ...this.settled].slice(0, kept);
    const id = question?.message_id ?? this.#messageOfQuestion.get(d.request_id);
    this.transcript.note(id, { answer: answerOf(d, ts), is_answered: true });
  }

  /** When a task's turn is over, so are its calls. */
  #endCalls(task: string): void {
    for (const id of this.transcript.running()) {
      const m = this.transcript.get(id);
      if (m?.tool && m.task_id === task) this.transcript.note(id, { tool: endedCall(m.tool) });
    }
  }

  #report(env: AnyEnvelope, ts: number): void {
    const error = errorOf(env.data as ErrorData);
    if (error.code === "CURSOR_LOST") return; // it is dealt with
    this.errors = [{ error, ts, messageId: env.message_id }, ...this.errors].slice(0, kept);
  }

  /** Remembers which messages belong to which questions. */
  index(messages: readonly TranscriptMessage[]): void {
    for (const m of messages) {
      if (m.request_id) this.#messageOfQuestion.set(m.request_id, m.message_id);
    }
    if (this.#messageOfQuestion.size > 20 * callsKept) this.#messageOfQuestion.clear(); // a lost link costs a line under an old message
  }

  /** Puts the status together from tasks, questions and the run in front. */
  #status(type: keyof EventData): void {
    const s = this.session;
    if (!s) return;
    // Who does not know all tasks goes by what an event says, not by what is missing.
    if (this.tasks.partial && !mayMove(type) && !isQuestion(type)) return;
    const status = statusOf({ tasks: this.tasks, runs: this.runs, front: this.#front, waiting: this.#asked.length > 0, returning: s.returning !== undefined });
    if (this.tasks.partial && status === "idle" && !mayEnd(type)) return;
    if (status === s.status) return;
    this.session = { ...s, status };
    if (this.tasks.partial) this.unsure = true;
  }
}

function isPlan(type: keyof EventData): boolean {
  return type === "plan_generated" || type === "plan_modified";
}

function isFirst(m: TranscriptMessage): boolean {
  return seqOf(m.message_id) <= 2; // the first record makes the session
}

function samePlan(plan: PlanView | null, run: FoldedRun): boolean {
  const p = run.plan;
  return plan?.id === p?.id && plan?.status === p?.status && plan?.version === p?.version && plan?.total_todos === p?.total_todos && plan?.details === run.details;
}

/** Maps a list and gives the same one back if nothing changed. */
function sameIfUnchanged<T>(list: readonly T[], fn: (t: T) => T): readonly T[] {
  const next = list.map(fn);
  return next.every((t, i) => t === list[i]) ? list : next;
}
