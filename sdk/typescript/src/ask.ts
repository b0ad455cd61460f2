import { lineError, type ClewError } from "./error.js";
import { noUsage } from "./replica.js";
import type { InboxResponse, RestReceipt } from "./rest_types.js";
import type { SessionSnapshot } from "./snapshot.js";
import type { SessionStore } from "./store.js";
import type { TranscriptMessage } from "./transcript.js";
import type { CommandData, MessageTool, Outcome, Question, TaskInfo, Usage } from "./types.gen.js";

/** A piece of what the agent says. Output of commands and words of subtasks are not in it. */
export interface AskText {
  readonly type: "text";
  /** Pieces of one message have the same. */
  readonly messageId: string;
  readonly text: string;
  /** The model began the message anew: this stands in place of the earlier pieces. */
  readonly again?: boolean;
}

/** A tool call that began (its status is `running`) or ended. One that somebody denied has its end only. */
export interface AskTool {
  readonly type: "tool";
  readonly messageId: string;
  /** That of a subtask if one made the call. */
  readonly taskId?: string;
  readonly tool: MessageTool;
}

/** A question that waits for an answer, from here or from anybody else with access. */
export interface AskQuestion {
  readonly type: "question";
  readonly question: Question;
  answer(response: InboxResponse): Promise<RestReceipt>;
}

/** How the work ended. It is the last event. */
export interface AskResult {
  readonly type: "result";
  readonly sessionId: string;
  readonly taskId: string;
  /** The final answer, or else what the agent said last. */
  readonly answer: string;
  readonly outcome: Outcome;
  /** Of this work, subtasks included. */
  readonly usage: Usage;
}

export type AskEvent = AskText | AskTool | AskQuestion | AskResult;

export interface AskOptions {
  /** Ends the loop with the signal's reason. */
  signal?: AbortSignal;
  /** Ends the loop with CONNECTION_TIMEOUT. */
  timeoutMs?: number;
  /** Cancels the work when the loop is left before its end. Without it the work goes on. */
  cancelOnExit?: boolean;
  /** Answers questions. What it does not answer waits for somebody else. */
  onQuestion?(question: Question): InboxResponse | undefined | void | Promise<InboxResponse | undefined | void>;
  /** More about the message: its mode, its images, its budget. */
  message?: Partial<CommandData["user_message"]>;
}

/** What an ask needs of its session. @internal */
export interface AskContext {
  readonly id: string;
  readonly store: SessionStore;
  newId(): string;
  send(type: "user_message", data: CommandData["user_message"], options: { id: string }): Promise<unknown>;
  withdraw(id: string): boolean;
  command<T extends "control_cancel" | "remove_queued">(type: T, data: CommandData[T]): Promise<unknown>;
  answer(requestId: string, response: InboxResponse): Promise<RestReceipt>;
}

const calls = new Set(["tool", "command", "use_mcp_server", "browser_action_launch"]);
const ended = new Set(["complete", "error", "stopped"]);

/** Follows the work of one message, from what the store holds: whatever comes twice or late, each thing is told once. */
export class Asking {
  readonly #c: AskContext;
  readonly #id: string;
  readonly #o: AskOptions;
  readonly #before = new Map<string, Usage>(); // what tasks at rest had used
  readonly #told = new Map<string, string>(); // messages: their text, or the state of their call
  #open = new Set<string>();
  #began = false;
  #since = "";
  #task = "";
  #over = false;
  #error: unknown;
  #failed = false;
  #wake = (): void => {};

  constructor(context: AskContext, options: AskOptions) {
    this.#c = context;
    this.#o = options;
    this.#id = context.newId();
  }

  async *events(text: string): AsyncGenerator<AskEvent, void, undefined> {
    const { signal, timeoutMs } = this.#o;
    const { store } = this.#c;
    const watched = new Set<string>();
    const wake = (): void => this.#wake();
    const abort = (): void => this.#fail(signal!.reason);
    const stops = [store.subscribe(wake)];
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => this.#fail(lineError("CONNECTION_TIMEOUT", `the work did not end within ${timeoutMs} ms`)),
            timeoutMs,
          );
    try {
      while (!this.#over) {
        const changed = new Promise<void>((done) => (this.#wake = done));
        const now = store.getSnapshot();
        for (const id of now.streaming) {
          if (watched.has(id)) continue;
          watched.add(id);
          stops.push(store.subscribeMessage(id, wake));
        }
        if (!this.#began && now.synced && !this.#failed) this.#begin(now, text);
        for (const event of this.#look(now)) {
          yield event;
          if (event.type === "question") void this.#answer(event);
        }
        if (this.#failed) throw this.#error;
        const { state, lastError } = now.connection;
        if (!this.#over && (state === "failed" || state === "disconnected"))
          throw lastError ?? lineError("CONNECTION_FAILED", "the session was disconnected");
        if (!this.#over) await changed;
      }
    } finally {
      for (const stop of stops) stop();
      signal?.removeEventListener("abort", abort);
      clearTimeout(timer);
      this.#wake = () => {};
      if (!this.#over) await this.#leave();
    }
  }

  #fail(error: unknown): void {
    this.#failed = true;
    this.#error = error;
    this.#wake();
  }

  /** Sends the message, once the state is there: from here on each change comes. */
  #begin(now: SessionSnapshot, text: string): void {
    this.#began = true;
    for (const t of now.tasks) if (endOf(now, t)) this.#before.set(t.task_id, t.usage ?? noUsage);
    // It waits for what is under way, and answers no question that is open.
    const data = { delivery: "queue" as const, may_answer: [], ...this.#o.message, text };
    this.#c.send("user_message", data, { id: this.#id }).catch((e: ClewError) => this.#fail(e));
  }

  async #answer({ question, answer }: AskQuestion): Promise<void> {
    try {
      const response = await this.#o.onQuestion?.(question);
      if (response) await answer(response);
    } catch (e) {
      if ((e as ClewError).code !== "HITL_REQUEST_EXPIRED") this.#fail(e); // else somebody was faster
    }
  }

  /** The loop was left: the work goes on, unless that is not wanted. */
  async #leave(): Promise<void> {
    if (!this.#began || !this.#o.cancelOnExit) return;
    this.#c.withdraw(this.#id);
    const queued = this.#c.store.getSnapshot().queue.find((q) => q.client_message_id === this.#id);
    const done = this.#task
      ? this.#c.command("control_cancel", { task_id: this.#task })
      : queued && this.#c.command("remove_queued", { message_id: queued.message_id });
    await done?.catch(() => {}); // the server may be gone
  }

  *#look(now: SessionSnapshot): Generator<AskEvent> {
    const after = this.#after(now);
    if (!this.#task) return;
    const root = (id = ""): string => now.tasks.find((t) => t.task_id === id)?.root_task_id || id;
    let said = "";
    let result = "";
    for (const m of after) {
      const event =
        m.type === "ask" ? root(m.task_id) === this.#task && this.#call(m) : m.task_id === this.#task && this.#text(m);
      if (event) yield event;
      if (m.task_id !== this.#task || m.type !== "say" || m.partial) continue;
      if (m.role === "user" && !m.agent_id) said = result = ""; // to what was said before
      else if (m.role === "assistant" && m.say === "completion_result") result = m.text ?? "";
      else if (m.role === "assistant" && m.say === "text" && m.text?.trim()) said = m.text;
    }
    yield* this.#questions(now.questions.filter((q) => !q.task_id || root(q.task_id) === this.#task));
    const task = now.tasks.find((t) => t.task_id === this.#task);
    const outcome = task
      ? endOf(now, task)
      : now.synced && ({ status: "stopped", message: "the session was taken back to before it" } as const);
    if (!outcome) return;
    this.#over = true;
    const usage = { ...noUsage };
    for (const t of now.tasks) if (root(t.task_id) === this.#task) add(usage, t.usage, this.#before.get(t.task_id));
    yield { type: "result", sessionId: this.#c.id, taskId: this.#task, answer: result || said, outcome, usage };
  }

  /** The messages after the one that was sent, in order; finds that one first. */
  #after(now: SessionSnapshot): TranscriptMessage[] {
    const list: TranscriptMessage[] = [];
    for (let i = now.messageIds.length - 1; i >= 0; i--) {
      const m = this.#c.store.message(now.messageIds[i]!);
      if (!m || m.message_id === this.#since) break;
      if (!this.#task && m.client_message_id === this.#id && m.task_id) {
        this.#task = now.tasks.find((t) => t.task_id === m.task_id)?.root_task_id || m.task_id;
        this.#since = m.message_id;
        break;
      }
      list.push(m);
    }
    return list.reverse();
  }

  #text(m: TranscriptMessage): AskText | undefined {
    if (m.role !== "assistant" || (m.say !== "text" && m.say !== "completion_result")) return undefined;
    const { message_id: messageId, text: said = "" } = m;
    const told = this.#told.get(messageId) ?? "";
    if (told.startsWith(said)) return undefined; // told, or behind after a crash
    this.#told.set(messageId, said);
    return said.startsWith(told)
      ? { type: "text", messageId, text: said.slice(told.length) }
      : { type: "text", messageId, text: said, again: true };
  }

  #call({ ask, tool, message_id: messageId, task_id: taskId }: TranscriptMessage): AskTool | undefined {
    if (!tool || !calls.has(ask ?? "")) return undefined;
    const was = this.#told.get(messageId) ?? "";
    if (was === tool.status || ended.has(was) || tool.status === "waiting") return undefined;
    this.#told.set(messageId, tool.status);
    return { type: "tool", messageId, taskId, tool };
  }

  *#questions(list: readonly Question[]): Generator<AskQuestion> {
    const known = this.#open;
    this.#open = new Set(list.map((q) => q.request_id));
    for (const question of list) {
      if (!known.has(question.request_id))
        yield { type: "question", question, answer: (r) => this.#c.answer(question.request_id, r) };
    }
  }
}

/** How a task ended. A run ends as a whole, whatever its turns do. */
function endOf(now: SessionSnapshot, t: TaskInfo): Outcome | undefined {
  const run = now.runs.find((r) => r.task_id === t.task_id);
  return run ? run.ended : t.outcome;
}

/** Adds what was used since. Costs are to a billionth of a dollar, so that no noise of the arithmetic shows. */
function add(sum: Usage, now = noUsage, before = noUsage): void {
  for (const k of Object.keys(sum) as (keyof Usage)[]) sum[k] = Math.round((sum[k] + now[k] - before[k]) * 1e9) / 1e9;
}
