import type { ComponentUse, Session, TranscriptMessage } from "@clew-run/client";
import { ChevronRight, Info } from "lucide-react";
import { useId, useState } from "react";
import { usePrefs } from "@/app/prefs";
import { useWords } from "@/i18n";
import { Markdown } from "@/lib/Markdown";
import { cx } from "@/ui";
import { Images } from "./Images";
import { keepBreaks } from "./keepBreaks";
import { LongText } from "./LongText";
import { transcriptWords } from "./words";

/** A person's words. */
export function UserText({ session, message: m }: { session: Session; message: TranscriptMessage }) {
  return (
    <div className="rounded-lg border border-line bg-well px-3.5 py-2.5 text-md">
      {m.component ? <Pressed use={m.component} /> : m.text && <LongText text={m.text} />}
      {m.images && <Images sessionId={session.id} images={m.images} />}
    </div>
  );
}

/** What a person pressed or chose in a window, with what went along. */
function Pressed({ use }: { use: ComponentUse }) {
  const data = Object.entries((use.form_data?.row ?? use.form_data ?? {}) as Record<string, unknown>);
  const facts = data
    .filter(([, v]) => v !== "" && v !== null && typeof v !== "object")
    .map(([name, v]) => `${name}: ${String(v)}`)
    .join(" · ");
  return (
    <>
      <span
        className="inline-block max-w-full truncate rounded border border-line2 bg-sheet px-2 text-sm font-medium"
        dir="auto"
      >
        {use.label || use.action}
      </span>
      {facts && (
        <span className="block truncate text-sm text-soft" dir="auto" title={facts}>
          {facts}
        </span>
      )}
    </>
  );
}

/** An agent's words; what it thought before them is folded. */
export function AgentText({ session, message: m }: { session: Session; message: TranscriptMessage }) {
  const t = useWords(transcriptWords);
  return (
    <>
      {m.reasoning && <Reasoning text={m.reasoning} growing={m.partial === true && !m.text} />}
      {m.text ? (
        <div className="text-md">
          <Markdown text={m.text} growing={m.partial === true} />
        </div>
      ) : (
        m.partial && !m.reasoning && <p className="breathe text-soft">{t.writing}</p>
      )}
      {m.images && <Images sessionId={session.id} images={m.images} />}
    </>
  );
}

/** Says of a helper's answer that the helper had not heard the conversation. */
export function Alone({ message: m }: { message: TranscriptMessage }) {
  const t = useWords(transcriptWords);
  if (m.agent_kind !== "ephemeral" || m.partial) return null;
  return (
    <p className="flex items-center gap-1.5 pt-1 text-sm text-faint" data-alone>
      <Info size={13} aria-hidden className="shrink-0" />
      {t.alone}
    </p>
  );
}

/** What an agent thought: its first line, the rest on demand. */
export function Reasoning({ text, growing }: { text: string; growing: boolean }) {
  const t = useWords(transcriptWords);
  const verbose = usePrefs((p) => p.verbose);
  const [opened, setOpened] = useState<boolean | null>(null);
  const open = opened ?? verbose;
  const id = useId();
  const first = text.trimStart().split("\n", 1)[0]!.slice(0, 300);
  return (
    <div className="text-soft">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpened(!open)}
        className="-ml-1 flex w-full min-w-0 items-center gap-1 rounded px-1 text-left hover:text-ink pointer-coarse:min-h-(--row)"
      >
        <ChevronRight
          size={13}
          aria-hidden
          className={cx("shrink-0 transition-transform duration-(--motion)", open && "rotate-90")}
        />
        <span className={cx("shrink-0 text-sm", growing && "breathe")}>{growing ? t.thinking : t.thought}</span>
        {!open && <span className="min-w-0 truncate text-sm italic">{first}</span>}
      </button>
      <div id={id} hidden={!open}>
        {open && <p className="py-1 pl-4 whitespace-pre-wrap italic">{text}</p>}
      </div>
    </div>
  );
}

/** How a task ended. A subtask's stands in its group. */
export function Result({ session, message: m, sub }: { session: Session; message: TranscriptMessage; sub: boolean }) {
  const t = useWords(transcriptWords);
  return (
    <section
      className={cx("text-md", !sub && "rounded-lg border border-run-line bg-run-wash px-3.5 py-2.5")}
      data-result-of={sub ? "subtask" : "task"}
    >
      <p className={cx("pb-0.5 text-sm font-medium", sub ? "text-soft" : "text-run")}>{sub ? t.subResult : t.result}</p>
      <Markdown text={keepBreaks(m.text ?? "")} growing={m.partial === true} />
      {m.images && <Images sessionId={session.id} images={m.images} />}
    </section>
  );
}
