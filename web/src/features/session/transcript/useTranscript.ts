import type { Question, Session } from "@clew-run/client";
import { useMessageIds, useQuestions, useSnapshot } from "@clew-run/client/react";
import { useCallback, useMemo } from "react";
import { usePrefs } from "@/app/prefs";
import { layOut, type GroupFacts } from "./groups";
import { withNotes, type Note } from "./notes";
import { buildRows, everyRow, type Row } from "./rows";
import { inScope, questionsIn, type Scope } from "./scope";

export interface TranscriptRows {
  rows: readonly Row[];
  /** The groups that a message stands in, the outer one first. */
  groupsWith(messageId: string): readonly string[];
  /** The open question of a row. */
  questionOf(row: Row): Question | undefined;
  /** From this row on the turn is under way; rows.length if none is. */
  currentFrom: number;
}

const busy = new Set(["planning", "executing", "awaiting_input"]);

/** The session's messages as rows, with the open questions where they belong; with a scope, those of a monitor or of one agent. */
export function useTranscript(
  session: Session,
  notes: readonly Note[],
  facts: ReadonlyMap<string, GroupFacts>,
  isOpen: (task: string) => boolean,
  scope?: Scope,
): TranscriptRows {
  const all = useMessageIds(session);
  const asked = useQuestions(session);
  const { monitor, agent = "" } = scope ?? {};
  const questions = useMemo(() => questionsIn(asked, monitor), [asked, monitor]);
  const queue = useSnapshot(session, (s) => s.queue);
  const working = useSnapshot(session, (s) =>
    monitor === undefined
      ? busy.has(s.session?.status ?? "")
      : s.monitors.some((m) => m.monitor_id === monitor && m.busy),
  );
  const hasOlder = useSnapshot(session, (s) => s.hasOlder);
  const hasNewer = useSnapshot(session, (s) => s.hasNewer);
  const verbose = usePrefs((p) => p.verbose);
  const get = session.store.message;

  const ids = useMemo(() => {
    if (monitor === undefined) return all;
    return all.filter((id) => {
      const m = get.call(session.store, id);
      return m !== undefined && inScope(m, { monitor, agent });
    });
  }, [all, monitor, agent, session, get]);
  const built = useMemo(() => {
    const list = buildRows(ids, (id) => get.call(session.store, id), {
      verbose,
      queued: new Set(queue.map((q) => q.message_id)),
      asking: new Set(questions.map((q) => q.tool_call_id).filter((id) => id !== undefined)),
      tasks: facts,
    });
    return [
      ...withNotes(list, notes, hasOlder, hasNewer),
      ...homeless(list, questions, (id) => get.call(session.store, id)?.request_id),
    ];
  }, [ids, queue, questions, verbose, session, get, notes, hasOlder, hasNewer, facts]);

  const byRequest = useMemo(() => new Map(questions.map((q) => [q.request_id, q])), [questions]);
  const questionOf = useCallback(
    (row: Row): Question | undefined => {
      if (byRequest.size === 0) return undefined;
      if (row.key.startsWith("question:")) return byRequest.get(row.key.slice(9));
      if (row.kind !== "call" && row.kind !== "question") return undefined;
      const request = get.call(session.store, row.id)?.request_id;
      return request ? byRequest.get(request) : undefined;
    },
    [byRequest, session, get],
  );
  const rows = useMemo(
    () => layOut(built, facts, isOpen, (r) => questionOf(r) !== undefined),
    [built, facts, isOpen, questionOf],
  );
  const currentFrom = useMemo(
    () =>
      working
        ? Math.max(
            0,
            rows.findLastIndex((r) => r.kind === "user" && get.call(session.store, r.id)?.delivery !== "steer"),
          )
        : rows.length,
    [rows, working, session, get],
  );
  const groupsWith = useCallback(
    (id: string) =>
      everyRow(built)
        .filter(
          (r) => r.inner && everyRow(r.inner).some((n) => n.kind !== "group" && (n.id === id || n.more.includes(id))),
        )
        .map((r) => r.group!),
    [built],
  );
  return { rows, questionOf, currentFrom, groupsWith };
}

/** Questions whose message is not held stand at the end, so that none is missed. */
function homeless(
  rows: readonly Row[],
  questions: readonly Question[],
  requestOf: (id: string) => string | undefined,
): Row[] {
  if (questions.length === 0) return [];
  const shown = new Set(
    everyRow(rows)
      .filter((r) => r.kind === "call" || r.kind === "question")
      .map((r) => requestOf(r.id)),
  );
  return questions
    .filter((q) => !shown.has(q.request_id))
    .map((q) => ({
      key: `question:${q.request_id}`,
      kind: "question",
      id: q.message_id ?? "",
      more: [],
      voice: "agent",
      head: false,
    }));
}
