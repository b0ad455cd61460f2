import { memo } from "react";
import type { TranscriptMessage } from "@clew-run/client";
import { useAccount } from "@/app/account";
import { useWords } from "@/i18n";
import { Markdown } from "@/lib/Markdown";
import type { Loaded } from "@/lib/useLoaded";
import { cx, ErrorNote, Loading, Mark, Time } from "@/ui";
import { toneOfCall, viewOf } from "@/features/session/transcript/call";
import { transcriptWords } from "@/features/session/transcript/words";
import type { Place } from "./usePlace";
import { timeWords } from "./words";

/** Bookkeeping that is no part of the talk. */
const quiet = new Set(["api_req_started", "api_req_finished", "api_req_retried", "api_req_retry_delayed", "api_req_deleted"]);

/** The end of the transcript as it was then. */
export function Then({ place: page }: { place: Loaded<Place | null> }) {
  const t = useWords(timeWords);
  const shown = page.value?.messages.filter((m) => !quiet.has(m.say ?? "")) ?? [];
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
            {shown.map((m) => <Line key={m.message_id} message={m} here={m.message_id === page.value?.messageId} />)}
          </ol>
        )}
      </div>
    </section>
  );
}

const Line = memo(function Line({ message: m, here }: { message: TranscriptMessage; here: boolean }) {
  const t = useWords(transcriptWords);
  const me = useAccount((s) => (s.account.state === "in" ? s.account.me.user_id : undefined));
  const call = m.type === "ask" && m.tool_call_id ? viewOf(m, !m.is_answered && !m.tool, undefined) : null;
  const output = m.say === "command_output" || m.say === "codebase_search_result";
  const tone = call ? toneOfCall(call) : m.say === "error" ? "fail" : m.type === "ask" && !m.is_answered ? "ask" : m.role === "user" ? "run" : "wait";
  return (
    <li aria-current={here ? "step" : undefined} className={cx("relative pb-3 pl-5", here && "font-medium")}>
      <span className="absolute top-0.5 -left-[7px] bg-paper py-1"><Mark tone={tone} /></span>
      {call ? (
        <p className="flex items-baseline gap-2"><span>{t.tools[call.name] ?? call.name}</span><code className="min-w-0 flex-1 truncate font-mono text-sm text-soft">{call.target}</code></p>
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
