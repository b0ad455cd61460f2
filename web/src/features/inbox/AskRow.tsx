import type { Inbox, InboxItem, Question } from "@clew-run/client";
import { useId } from "react";
import { Link } from "wouter";
import { useWords } from "@/i18n";
import { money } from "@/lib/format";
import { Button, Mark, Time } from "@/ui";
import { AnswerLine } from "@/features/session/questions/AnswerLine";
import { Countdown } from "@/features/session/questions/Countdown";
import { askedAs, askerOf, kindOf, offers, subjectOf } from "@/features/session/questions/kinds";
import { deceives } from "@/features/session/questions/reveal";
import { Revealed } from "@/features/session/questions/Revealed";
import { SendState } from "@/features/session/questions/SendState";
import { useAnswer } from "@/features/session/questions/useAnswer";
import { questionWords } from "@/features/session/questions/words";
import { byInbox, useSettlement } from "./settlement";
import { inboxWords } from "./words";

const short = 80;

/** A command that a line shows whole and as it is. Anything else is looked at before it is approved. */
function plainCommand(q: Question): string | undefined {
  if (q.type !== "hitl_approval_request" || kindOf(q) !== "command" || !offers(q, "approve") || !offers(q, "reject"))
    return undefined;
  const command = q.effect?.command;
  return command && command.length <= short && !command.includes("\n") && !deceives(command) ? command : undefined;
}

/** A question in a line of Home: what it is about, and the answer if that can be given at a glance. */
export function AskRow({
  item,
  gone,
  inbox,
  lineDown,
}: {
  item: InboxItem;
  /** It is not open any more. */ gone: boolean;
  inbox: Inbox;
  lineDown: boolean;
}) {
  const t = useWords(inboxWords);
  const words = useWords(questionWords);
  const title = useId();
  const q = item.question;
  const settled = useSettlement(item, gone);
  const [answer, give] = useAnswer(byInbox, q);
  const command = plainCommand(q);
  const at = `/s/${item.session_id}?question=${q.request_id}`;
  const busy = answer.state === "sending" || answer.state === "given";
  return (
    <li data-question={q.request_id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <Mark tone={gone ? "past" : "ask"} />
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex items-baseline gap-2">
          <span id={title} className="min-w-0 truncate text-md font-semibold">
            <Revealed text={item.title || t.untitled} />
          </span>
          <span className="shrink-0 text-sm text-faint">
            <Time ms={item.asked_ms} />
          </span>
        </p>
        {gone ? (
          <AnswerLine settled={settled} subject={subjectOf(q)} />
        ) : (
          <p className="mt-1 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-soft">
            {command ? (
              <>
                <span>{t.run}</span>
                <code className="min-w-0 rounded-sm border border-line bg-sunk px-1.5 font-mono text-sm text-ink">
                  {command}
                </code>
              </>
            ) : (
              <span className="min-w-0 truncate">
                <About question={q} />
              </span>
            )}
            <span className="text-sm">
              <Countdown clock={inbox} question={q} help={words.ifNobody[kindOf(q)]} />
            </span>
          </p>
        )}
        {!gone && <SendState answer={answer} again={give} lineDown={lineDown} />}
      </div>
      {!gone && (
        <div className="flex items-center gap-1.5">
          {command ? (
            <>
              <Button
                look="main"
                busy={busy}
                aria-describedby={title}
                className="h-7 px-2.5 text-sm pointer-coarse:h-(--row)"
                onClick={() => give({ action: "approve" })}
              >
                {words.approve}
              </Button>
              <Button
                busy={busy}
                aria-describedby={title}
                className="h-7 px-2.5 text-sm pointer-coarse:h-(--row)"
                onClick={() => give({ action: "reject" })}
              >
                {words.deny}
              </Button>
            </>
          ) : (
            <Link
              href={at}
              aria-describedby={title}
              className="inline-flex h-7 items-center rounded border border-line2 bg-sheet px-2.5 text-sm font-medium shadow-card hover:bg-hover pointer-coarse:h-(--row) pointer-coarse:min-w-(--row) pointer-coarse:justify-center"
            >
              {q.type === "hitl_plan_review" ? t.reviewPlan : q.type === "hitl_approval_request" ? t.review : t.answer}
            </Link>
          )}
          {command && (
            <Link
              href={at}
              aria-describedby={title}
              className="inline-flex h-7 items-center rounded px-2.5 text-sm font-medium text-soft hover:bg-hover hover:text-ink pointer-coarse:h-(--row) pointer-coarse:min-w-(--row) pointer-coarse:justify-center"
            >
              {t.open}
            </Link>
          )}
        </div>
      )}
    </li>
  );
}

/** What is asked, in one line. */
function About({ question: q }: { question: Question }) {
  const t = useWords(inboxWords);
  const words = useWords(questionWords);
  if (q.type === "hitl_plan_review")
    return (
      <>
        {t.planOf(
          q.plan.todos.length,
          Math.round(q.plan.estimated_duration_sec / 60),
          q.plan.estimated_cost_usd ? money(q.plan.estimated_cost_usd) : "",
        )}
      </>
    );
  return (
    <>
      {words.titles[askedAs(q)](askerOf(q))} <Revealed text={subjectOf(q).slice(0, 200)} />
    </>
  );
}
