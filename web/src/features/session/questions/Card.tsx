import type { Question } from "@clew-run/client";
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { usePrefs } from "@/app/prefs";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { cx, ErrorNote, Mark } from "@/ui";
import type { Asked } from "./alike";
import type { Answering, Settlement } from "./answer";
import { Approval } from "./Approval";
import { Countdown } from "./Countdown";
import type { Clock } from "./deadline";
import { askedAs, askerOf, kindOf, subjectOf } from "./kinds";
import { AnswerLine } from "./AnswerLine";
import { Revealed } from "./Revealed";
import { SendState } from "./SendState";
import { useAnswer } from "./useAnswer";
import { ValueForm } from "./ValueForm";
import { questionWords } from "./words";
import { transcriptWords } from "../transcript/words";

const PlanReview = lazyPart(() => import("./PlanReview").then((m) => m.PlanReview));

/** Kinds whose time-out ends more than the question: that is said, and not only shown to a mouse. */
const endsMore = new Set<string>(["plan", "clarification", "input", "limit"]);

/** What the letters do while the card has the focus. The part that has the buttons fills it in. */
export interface CardKeys {
  a?(): void;
  d?(): void;
  e?(): void;
}

export interface CardProps {
  question: Question;
  sessionId: string;
  answering: Answering;
  clock: Clock;
  /** How it was settled, once it was. */
  settled?: Settlement;
  mayAnswer?: boolean;
  /** This and all that are alike, for answering them together. */
  alike?: readonly Asked[];
  /** Where it is asked, for lists over sessions. */
  place?: ReactNode;
  /** There is a newer version of what it asks about. */
  stale?: ReactNode;
  /** The level of its heading: below that of what it stands in. */
  heading?: 2 | 3;
  /** Nothing can be heard from the server just now. */
  lineDown?: boolean;
  /** It is what a sheet shows: without a frame of its own, with this in its head. */
  sheet?: ReactNode;
}

/**
 * A question, the same wherever it is shown. It is bound to what it shows: when
 * that is settled or outdated, it turns inert in place and says so.
 */
export function Card({
  question: q,
  sessionId,
  answering,
  clock,
  settled,
  mayAnswer = true,
  alike,
  place,
  stale,
  heading = 3,
  lineDown,
  sheet,
}: CardProps) {
  const t = useWords(questionWords);
  const tools = useWords(transcriptWords).tools;
  const title = useId();
  const box = useRef<HTMLElement>(null);
  const keys = useRef<CardKeys>({});
  const [answer, give] = useAnswer(answering, q);
  const open = settled === undefined && stale === undefined;
  const live = open && mayAnswer;
  useFocusKept(box, live);

  const onKeyDown = (e: KeyboardEvent) => {
    if (
      !live ||
      e.ctrlKey ||
      e.metaKey ||
      e.altKey ||
      e.nativeEvent.isComposing ||
      !usePrefs.getState().letterKeys ||
      writes(e.target)
    )
      return;
    const run = keys.current[e.key.toLowerCase() as keyof CardKeys];
    if (!run) return;
    e.preventDefault(); // the page's own letters stay out of it
    run();
  };

  const kind = kindOf(q);
  const named = q.type === "hitl_approval_request" && (kind === "tool" || kind === "server") ? q.tool : undefined;
  const tool = named && (tools[named] ?? named);
  const Heading = heading === 2 ? "h2" : "h3";
  const body = {
    question: q,
    sessionId,
    live,
    busy: answer.state === "sending" || answer.state === "given",
    give,
    keys,
    alike,
  };
  return (
    <article
      ref={box}
      id={`question-${q.request_id}`}
      data-question={q.request_id}
      data-state={settled ? (settled.byTimeout ? "expired" : "settled") : stale ? "stale" : answer.state}
      aria-labelledby={title}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={
        sheet
          ? "-outline-offset-2"
          : cx("overflow-hidden rounded-lg border bg-sheet", open ? "border-ask-line shadow-raised" : "border-line")
      }
    >
      {place && <div className="px-3.5 py-2">{place}</div>}
      <header
        className={cx(
          "flex flex-wrap items-center gap-x-2 gap-y-1",
          sheet ? "sticky top-0 z-10 bg-sheet px-4 pt-1" : cx("px-3.5 py-2.5", open ? "bg-ask-wash" : "bg-well"),
        )}
      >
        <Mark tone={open ? "ask" : "past"} />
        <Heading
          id={title}
          className={cx("min-w-0 flex-1 leading-5 font-semibold", sheet ? "text-xl" : "text-md", !open && "text-soft")}
        >
          <Revealed text={t.titles[askedAs(q)](askerOf(q), tool && t.allowTool(tool))} />
        </Heading>
        {open && <Countdown clock={clock} question={q} help={t.ifNobody[kind]} />}
        {sheet}
      </header>
      <div className={cx("flex flex-col gap-2.5 empty:hidden", sheet ? "px-4 pt-1" : "px-3.5 pt-3 pb-3.5")}>
        {open && !!q.deadline_ms && endsMore.has(kind) && (
          <p className="text-sm text-ask" data-if-nobody>
            {t.ifNobody[kind]}
          </p>
        )}
        {q.type === "hitl_approval_request" && <Approval {...body} question={q} />}
        {q.type === "hitl_plan_review" && <PlanReview {...body} question={q} />}
        {(q.type === "hitl_input_request" || q.type === "hitl_clarification") && <ValueForm {...body} question={q} />}
        {open && !mayAnswer && <p className="text-soft">{t.mayNot}</p>}
        {live && <SendState answer={answer} again={give} lineDown={lineDown} />}
        {!live && answer.state === "refused" && <ErrorNote error={answer.error} />}
        {stale}
        {settled && <AnswerLine settled={settled} subject={subjectOf(q)} />}
      </div>
    </article>
  );
}

/** Keys do not count where letters are written. */
function writes(target: EventTarget): boolean {
  if (target instanceof HTMLInputElement) return !["radio", "checkbox", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** When the buttons go, the focus that was on one of them goes to the card and not to nowhere. */
function useFocusKept(box: { current: HTMLElement | null }, live: boolean): void {
  const within = useRef(false);
  within.current = box.current?.contains(document.activeElement) ?? false;
  const was = useRef(live);
  useEffect(() => {
    if (was.current && !live && within.current) box.current?.focus();
    was.current = live;
  }, [box, live]);
}
