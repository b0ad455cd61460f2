import type { Session, TranscriptMessage } from "@clew-run/client";
import { ChevronRight, SearchCode } from "lucide-react";
import { memo, useId, useState } from "react";
import { useAccount } from "@/app/account";
import { useWords } from "@/i18n";
import { AnsiText } from "@/lib/AnsiText";
import { Markdown } from "@/lib/Markdown";
import { Counts, cx, Mark, Time, type Tone } from "@/ui";
import { Brief } from "@/features/session/transcript/Brief";
import { exploredOf, toneOfCall, viewOf } from "@/features/session/transcript/call";
import { Marker } from "@/features/session/transcript/Notes";
import { kindOf } from "@/features/session/transcript/rows";
import { toolRow } from "@/features/session/transcript/toolRow";
import { transcriptWords } from "@/features/session/transcript/words";

/** Whether a call waited for somebody's answer then. */
export function asked(m: TranscriptMessage): boolean {
  return m.request_id !== undefined && !m.is_answered && (m.tool === undefined || m.tool.status === "waiting");
}

/** How what a message shows stood then. */
export function toneOf(m: TranscriptMessage): Tone {
  const call = callOf(m);
  if (call) return toneOfCall(call);
  return m.say === "error"
    ? "fail"
    : m.type === "ask" && !m.is_answered
      ? "ask"
      : m.role === "user" && !m.agent_id
        ? "run"
        : "wait";
}

function callOf(m: TranscriptMessage) {
  return m.type === "ask" && m.tool_call_id ? viewOf(m, asked(m), false) : null;
}

/** A message of the past. In a group its state stands at its end, since there is no thread beside it. */
export const ThenLine = memo(function ThenLine({
  session,
  message: m,
  inGroup,
}: {
  session: Session;
  message: TranscriptMessage;
  inGroup: boolean;
}) {
  const t = useWords(transcriptWords);
  const me = useAccount((s) => (s.account.state === "in" ? s.account.me.user_id : undefined));
  const call = callOf(m);
  if (call) {
    return (
      <p className="flex min-h-6 items-center gap-2">
        <span className="shrink-0 font-semibold">{t.tools[call.name] ?? call.name}</span>
        <code className="min-w-0 flex-1 truncate font-mono text-sm text-soft" dir="ltr">
          {call.target}
        </code>
        <Counts added={m.tool?.added} removed={m.tool?.removed} />
        {inGroup && <Mark tone={toneOfCall(call)} />}
        <span className="sr-only">{t.status[call.status]}</span>
      </p>
    );
  }
  switch (kindOf(m)) {
    case "brief":
      return <Brief session={session} message={m} inGroup={inGroup} />;
    case "marker":
      return <Marker session={session} message={m} />;
    case "cell":
      return m.cell?.output === "status" ? null : (
        <pre className="line-clamp-3 font-mono text-sm whitespace-pre-wrap text-soft">
          <AnsiText text={m.text ?? ""} />
        </pre>
      );
    case "output":
      return <pre className="line-clamp-3 font-mono text-sm whitespace-pre-wrap text-soft">{m.text}</pre>;
  }
  return (
    <>
      {!inGroup && (
        <p className="flex items-baseline gap-2 pb-1 text-xs text-faint">
          <span className="text-base font-semibold text-ink">
            {m.role === "user" ? (m.user_id && m.user_id !== me ? m.user_id : t.you) : t.agent}
          </span>
          <Time ms={m.ts} />
        </p>
      )}
      {m.role === "user" ? (
        <p className="rounded-lg border border-line bg-sunk px-3.5 py-2.5 text-md font-normal whitespace-pre-wrap">
          {m.text}
        </p>
      ) : (
        <div className={cx("line-clamp-[14] text-md", !m.text && "text-soft italic")}>
          <Markdown text={m.text ?? m.reasoning ?? ""} />
        </div>
      )}
    </>
  );
});

/** Several calls in a row that only looked, as one line. */
export function Explored({
  list,
  open: first,
  inGroup,
}: {
  list: readonly TranscriptMessage[];
  open: boolean;
  inGroup: boolean;
}) {
  const t = useWords(transcriptWords);
  const [chosen, setChosen] = useState<boolean>();
  const id = useId();
  const open = chosen ?? first;
  const { files, searches } = exploredOf(list);
  const failed = list.some((m) => m.tool?.status === "error");
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setChosen(!open)}
        className={toolRow}
      >
        <SearchCode size={15} aria-hidden className="shrink-0 text-soft" />
        <span className="shrink-0 font-medium">{t.explored}</span>
        <span className="min-w-0 flex-1 truncate text-soft">{t.exploredWhat(files, searches)}</span>
        {inGroup && <Mark tone={failed ? "fail" : "done"} />}
        <span className="sr-only">{failed ? t.status.error : t.status.complete}</span>
        <ChevronRight
          size={14}
          aria-hidden
          className={cx("shrink-0 text-soft transition-transform duration-(--motion)", open && "rotate-90")}
        />
      </button>
      <ul id={id} hidden={!open} className="border-l border-line pl-3">
        {list.map((m) => (
          <li key={m.message_id} className="flex min-h-6 items-center gap-2">
            <span className="shrink-0">{t.tools[m.tool?.name ?? ""] ?? m.tool?.name}</span>
            <code className="min-w-0 truncate font-mono text-sm text-soft" dir="ltr">
              {m.tool?.target}
            </code>
          </li>
        ))}
      </ul>
    </>
  );
}
