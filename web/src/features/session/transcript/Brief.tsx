import type { Session, TranscriptMessage } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Bot, ChevronRight, ListChecks } from "lucide-react";
import { useId, useState } from "react";
import { useWords } from "@/i18n";
import { cx } from "@/ui";
import { isWoken } from "./rows";
import { toolRow } from "./toolRow";
import { transcriptWords } from "./words";

/** What a subtask, or the agent of a step, was told to do, or what one came to that nobody waited for: one line, the rest on demand. */
export function Brief({
  session,
  message: m,
  inGroup,
}: {
  session: Session;
  message: TranscriptMessage;
  /** Its group says what it is. */ inGroup?: boolean;
}) {
  const t = useWords(transcriptWords);
  const [open, setOpen] = useState(false);
  const id = useId();
  // A step says its title itself; one of an older server is looked up.
  const known = useSnapshot(session, (s) => (m.summary ? undefined : stepOf(s.runs, s.tasks, m.task_id)));
  const woken = isWoken(m);
  const step = woken ? undefined : m.summary || known;
  const of = useSnapshot(session, (s) => (woken ? s.tasks.find((k) => k.agent_id === m.agent_id)?.text : undefined));
  const Icon = step === undefined ? Bot : ListChecks;
  const first = step ?? of ?? (m.text ?? "").trimStart().split("\n", 1)[0]!.slice(0, 300);
  return (
    <div data-brief={step === undefined ? "subtask" : "step"}>
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)} className={toolRow}>
        <Icon size={14} aria-hidden className="shrink-0 text-soft" />
        <span className={cx("shrink-0", inGroup && !woken ? "text-soft" : "font-medium")}>
          {woken ? t.taskEnded : inGroup ? t.instructions : step === undefined ? t.brief : t.step}
        </span>
        {(!inGroup || woken) && (
          <span className="min-w-0 truncate text-soft" dir="auto">
            {first}
          </span>
        )}
        <ChevronRight
          size={13}
          aria-hidden
          className={cx("ml-auto shrink-0 text-soft transition-transform duration-(--motion)", open && "rotate-90")}
        />
      </button>
      <div id={id} hidden={!open}>
        {open && (
          <p className="my-1 border-l border-line py-1 pl-3 whitespace-pre-wrap text-soft" dir="auto">
            {m.text}
          </p>
        )}
      </div>
    </div>
  );
}

interface Steps {
  readonly todos: readonly { readonly task_id?: string; readonly task: string }[];
}

/** The step of a run that a task carries out, undefined if it is none that is known. */
export function stepOf(
  runs: readonly Steps[],
  tasks: readonly { task_id: string; todo_id?: string; task?: string }[],
  task: string | undefined,
): string | undefined {
  if (!task) return undefined;
  for (const r of runs) for (const d of r.todos) if (d.task_id === task) return d.task;
  const known = tasks.find((k) => k.task_id === task); // an attempt before the last one
  return known?.todo_id ? known.task : undefined;
}
