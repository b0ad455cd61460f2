import { memo } from "react";
import type { Session, TimelineMark, TranscriptMessage } from "@clew-run/client";
import { useAccount } from "@/app/account";
import { useWords } from "@/i18n";
import { Markdown } from "@/lib/Markdown";
import type { Loaded } from "@/lib/useLoaded";
import { cx, ErrorNote, Loading, Mark, Time } from "@/ui";
import { Brief } from "@/features/session/transcript/Brief";
import { toneOfCall, viewOf } from "@/features/session/transcript/call";
import { kindOf } from "@/features/session/transcript/rows";
import { transcriptWords } from "@/features/session/transcript/words";
import { choice } from "./marks";
import type { Place } from "./usePlace";
import { timeWords } from "./words";

/** Bookkeeping that is no part of the talk. */
const quiet = new Set(["api_req_started", "api_req_finished", "api_req_retried", "api_req_retry_delayed", "api_req_deleted"]);

/** A subtask's result is told by the subtask and by the one that gave it the work: the later one stays. */
export function once(m: TranscriptMessage, i: number, all: readonly TranscriptMessage[]): boolean {
  return m.say !== "completion_result" || !all.slice(i + 1, i + 4).some((next) => next.say === "subtask_result" && next.text === m.text);
}

/** The end of the transcript as it was then. */
export function Then({ session, place: page }: { session: Session; place: Loaded<Place | null> }) {
  const t = useWords(timeWords);
  const shown = (page.value?.messages ?? []).filter((m) => !quiet.has(m.say ?? "")).filter(once);
  const answer = page.value?.answer;
  return (
    <section aria-label={t.then} className="flex flex-col md:min-h-0 md:flex-1">
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 border-b border-line px-4 py-2">
        <h2 className="font-semibold">{t.then}</h2>
        <p className="text-sm text-soft">{t.thenHelp}</p>
      </header>
      <div tabIndex={0} role="group" aria-label={t.then} className="flex flex-col-reverse -outline-offset-2 md:min-h-0 md:flex-1 md:overflow-y-auto">
        {page.error !== undefined ? (
          <div className="p-4"><ErrorNote error={page.error} retry={page.reload} /></div>
        ) : !page.value ? (
          <Loading />
        ) : (
          <ol className="relative mb-auto ml-6 border-l-2 border-line py-4 pr-4">
            {shown.map((m) => <Line key={m.message_id} session={session} message={m} here={!answer && m.message_id === page.value?.messageId} />)}
            {answer && <Answered mark={answer} />}
          </ol>
        )}
      </div>
    </section>
  );
}

const Line = memo(function Line({ session, message: m, here }: { session: Session; message: TranscriptMessage; here: boolean }) {
  const t = useWords(transcriptWords);
  const me = useAccount((s) => (s.account.state === "in" ? s.account.me.user_id : undefined));
  const call = m.type === "ask" && m.tool_call_id ? viewOf(m, asks(m), false) : null;
  const output = m.say === "command_output" || m.say === "codebase_search_result";
  const tone = call ? toneOfCall(call) : m.say === "error" ? "fail" : m.type === "ask" && !m.is_answered ? "ask" : m.role === "user" && !m.agent_id ? "run" : "wait";
  return (
    <li aria-current={here ? "step" : undefined} className={cx("relative pb-3 pl-5", here && "font-medium")}>
      <span className="absolute top-0.5 -left-[7px] bg-paper py-1"><Mark tone={tone} /></span>
      {call ? (
        <p className="flex items-baseline gap-2"><span>{t.tools[call.name] ?? call.name}</span><code className="min-w-0 flex-1 truncate font-mono text-sm text-soft">{call.target}</code></p>
      ) : kindOf(m) === "brief" ? (
        <Brief session={session} message={m} />
      ) : output ? (
        <pre className="line-clamp-3 font-mono text-sm whitespace-pre-wrap text-soft">{m.text}</pre>
      ) : (
        <>
          <p className="flex gap-2 text-xs text-soft"><span>{m.role === "user" ? (m.user_id && m.user_id !== me ? m.user_id : t.you) : t.agent}</span><Time ms={m.ts} /></p>
          {m.role === "user" ? <p className="whitespace-pre-wrap">{m.text}</p> : <div className={cx("line-clamp-[14]", !m.text && "text-soft italic")}><Markdown text={m.text ?? m.reasoning ?? ""} /></div>}
        </>
      )}
    </li>
  );
});

/** An answer that is no message: it stands under its question. */
function Answered({ mark: m }: { mark: TimelineMark }) {
  const t = useWords(timeWords);
  const tone = m.by_timeout || m.what === "skip" ? "past" : m.what === "reject" ? "fail" : "done";
  return (
    <li aria-current="step" className="relative pb-3 pl-5 font-medium">
      <span className="absolute top-0.5 -left-[7px] bg-paper py-1"><Mark tone={tone} /></span>
      <p className="flex gap-2 text-xs text-soft"><span>{t.kinds[m.kind]}</span><Time ms={m.ts} /></p>
      <p>{choice(m, t)}</p>
    </li>
  );
}

/** Whether a call waited for somebody's answer then. */
function asks(m: TranscriptMessage): boolean {
  return m.request_id !== undefined && !m.is_answered && (m.tool === undefined || m.tool.status === "waiting");
}
