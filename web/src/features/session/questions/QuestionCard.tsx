import type { Question, Session, SettledQuestion } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useMemo, type ReactNode } from "react";
import { useLocation } from "wouter";
import { useWords } from "@/i18n";
import { Button, Mark } from "@/ui";
import { answers } from "../header/status";
import { alikeGroups, likeness } from "./alike";
import { commandFor, NotSent, type Answering, type Settlement } from "./answer";
import { Card } from "./Card";
import { questionWords } from "./words";

/** A question of a session, in its transcript or above its composer. */
export function QuestionCard({
  session,
  question: q,
  sheet,
}: {
  session: Session;
  question: Question;
  /** It stands in a phone's sheet, with this in its head. */ sheet?: ReactNode;
}) {
  const answering = useMemo(() => bySession(session), [session]);
  const questions = useSnapshot(session, (s) => s.questions);
  const done = useSnapshot(session, (s) => s.settled.find((d) => d.request_id === q.request_id));
  const role = useSnapshot(session, (s) => s.session?.role);
  const synced = useSnapshot(session, (s) => s.synced);
  const version = useSnapshot(session, (s) =>
    q.type === "hitl_plan_review" ? s.runs.find((r) => r.plan?.id === q.plan_id)?.plan?.version : undefined,
  );

  const open = questions.some((o) => o.request_id === q.request_id);
  const settled = done ? settlementOf(done) : !open && synced ? {} : undefined;
  const alike = useMemo(() => {
    const key = likeness(q);
    return key === null
      ? undefined
      : alikeGroups(questions.map((question) => ({ session_id: session.id, question }))).get(key);
  }, [questions, q, session.id]);
  const newer = newerReview(q, questions, version);
  return (
    <Card
      question={q}
      sessionId={session.id}
      answering={answering}
      clock={session}
      heading={2}
      settled={newer && !done ? undefined : settled}
      mayAnswer={answers(role)}
      alike={open ? alike : undefined}
      stale={newer && <Stale session={session} version={newer.version} requestId={newer.requestId} />}
      lineDown={!synced}
      sheet={sheet}
    />
  );
}

/** A plan's newer version, if this question is about an older one. */
export function newerReview(
  q: Question,
  open: readonly Question[],
  version: number | undefined,
): { version: number; requestId?: string } | undefined {
  if (q.type !== "hitl_plan_review") return undefined;
  const next = open.find((o) => o.type === "hitl_plan_review" && o.plan_id === q.plan_id && o.version > q.version);
  if (next?.type === "hitl_plan_review") return { version: next.version, requestId: next.request_id };
  return version !== undefined && version > q.version ? { version } : undefined;
}

function Stale({ session, version, requestId }: { session: Session; version: number; requestId?: string }) {
  const t = useWords(questionWords);
  const [, navigate] = useLocation();
  return (
    <div className="flex flex-wrap items-center gap-2 text-ask" data-stale={version}>
      <Mark tone="past" size={10} />
      <span className="min-w-0 flex-1">{t.stale(version)}</span>
      {requestId && (
        <Button onClick={() => navigate(`/s/${session.id}?question=${requestId}`)}>{t.showVersion(version)}</Button>
      )}
    </div>
  );
}

/** Answers over the session's line. Without one an answer is not kept for later: it would come as a surprise. */
function bySession(session: Session): Answering {
  return {
    async send(q, r) {
      const { state } = session.connection;
      if (state !== "active" && state !== "connected") throw new NotSent();
      const { type, data } = commandFor(q, r);
      await session.send(type, data as never, { id: r.client_message_id } as never);
    },
  };
}

export function settlementOf(d: SettledQuestion): Settlement {
  return {
    action: d.action,
    by: d.by,
    byTimeout: d.by_timeout,
    ts: d.ts,
    words: d.comment ?? d.value,
    whyCode: d.why_code,
  };
}
