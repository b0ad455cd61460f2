import type { Question, Session, TranscriptMessage } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import {
  Bot,
  ChevronRight,
  CircleHelp,
  FilePen,
  FilePlus,
  FileText,
  Flag,
  FolderTree,
  Globe,
  ListChecks,
  type LucideIcon,
  Plug,
  Search,
  ShieldCheck,
  SquareTerminal,
  Wrench,
} from "lucide-react";
import { useId, useState } from "react";
import { useWords } from "@/i18n";
import { duration } from "@/lib/format";
import { Counts, cx, Mark } from "@/ui";
import { endWords } from "../ends";
import { allowedWords } from "./allowed";
import { isHalted, saysOf, toneOfCall, viewOf } from "./call";
import { FailedTail } from "./FailedTail";
import { Settled } from "./Settled";
import { ToolBody } from "./ToolBody";
import { TranscriptQuestion } from "./TranscriptQuestion";
import { toolRow } from "./toolRow";
import { useCalmMessage } from "./useCalmMessage";
import { transcriptWords } from "./words";

const icons: Record<string, LucideIcon> = {
  read_file: FileText,
  list_files: FolderTree,
  search_files: Search,
  write_file: FilePlus,
  edit: FilePen,
  execute_command: SquareTerminal,
  read_output: SquareTerminal,
  stop_command: SquareTerminal,
  fetch: Globe,
  ask_followup: CircleHelp,
  attempt_completion: Flag,
  update_todos: ListChecks,
  new_task: Bot,
  mcp: Plug,
};

/** A tool call: one line; unfolded, all that is known of it. */
export function ToolCard({
  session,
  message: m,
  outputs,
  question,
  slim,
}: {
  session: Session;
  message: TranscriptMessage;
  outputs: readonly string[];
  question?: Question;
  /** Inside a run of calls: without the question. */
  slim?: boolean;
}) {
  const t = useWords(transcriptWords);
  const why = useWords(endWords);
  const [open, setOpen] = useState(false);
  const id = useId();
  const output = useCalmMessage(session, outputs.at(-1) ?? "");
  const halted = useSnapshot(session, (s) => isHalted(s.questions, m.task_id));
  const v = viewOf(m, question !== undefined, output !== undefined, halted);
  const Icon = icons[v.name] ?? (m.ask === "use_mcp_server" ? Plug : Wrench);
  const verb = t.tools[v.name] ?? v.name;
  const limit = m.tool?.limit_reached && t.limitReached[m.tool.limit_reached];
  const ended = v.exit !== undefined && v.exit !== 0 ? [t.exit(v.exit), limit].filter(Boolean).join(", ") : undefined;
  const rule = m.tool?.allowed_by && allowedWords(t, m.tool.allowed_by);
  const tone = toneOfCall(v);
  const reason = tone === "fail" && !slim ? output?.text || m.tool?.error : undefined;
  const inDoubt = m.tool?.in_doubt && v.status !== "rewound";
  const refused = v.status === "denied" || v.status === "expired";
  const says =
    ended || reason || v.status === "rewound" || refused
      ? undefined
      : v.status === "halted" || (v.status === "stopped" && m.answer?.action !== "cancelled")
        ? t.status[v.status]
        : saysOf(m, v.status, why);
  return (
    <div data-call={m.tool_call_id} data-status={v.status}>
      {(slim || !question) && (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className={toolRow}
        >
          <Icon size={15} aria-hidden className="shrink-0 text-soft" />
          <span className="shrink-0 font-medium">{verb}</span>
          <span className="min-w-0 truncate font-mono text-sm text-soft" title={v.target} dir="ltr">
            {v.target}
          </span>
          {says && (
            <span
              aria-hidden={v.status === "halted" || v.status === "stopped"}
              className={cx(
                "min-w-0 flex-1 basis-0 truncate text-sm slim:hidden",
                m.tool?.error && v.status !== "stopped" ? "text-fail" : "text-soft",
              )}
            >
              {says}
            </span>
          )}
          <span className="ml-auto flex shrink-0 items-center gap-2 pl-1 text-sm text-faint">
            {refused && <span>{v.status === "denied" ? t.denied : t.expired}</span>}
            <Counts added={m.tool?.added} removed={m.tool?.removed} />
            {ended && <span className="text-fail">{ended}</span>}
            {rule && (
              <span title={rule} data-allowed>
                <ShieldCheck size={12} aria-hidden />
                <span className="sr-only">{rule}</span>
              </span>
            )}
            {inDoubt && <span className="text-ask">?</span>}
            {m.tool?.duration_ms !== undefined && m.tool.duration_ms >= 100 && (
              <span className="slim:hidden">{duration(m.tool.duration_ms)}</span>
            )}
            <Mark tone={tone} live={v.status === "running"} />
            {!refused && <span className="sr-only">{t.status[v.status]}</span>}
            <ChevronRight
              size={14}
              aria-hidden
              className={cx("transition-transform duration-(--motion)", open && "rotate-90")}
            />
          </span>
        </button>
      )}
      {v.status === "rewound" && <p className="pl-[23px] text-sm text-soft">{t.rewoundInto}</p>}
      {inDoubt && (
        <p className="rounded bg-ask-wash px-3 py-1.5 text-ask">
          {v.status === "stopped" ? t.inDoubtStopped : t.inDoubt}
        </p>
      )}
      {reason && !open && <FailedTail session={session} message={m} text={reason} />}
      <div id={id} hidden={!open}>
        {open && <ToolBody session={session} message={m} output={output} made={!refused && v.status !== "rewound"} />}
      </div>
      {!slim && question && (
        <div className="py-1.5">
          <TranscriptQuestion session={session} question={question} />
        </div>
      )}
      {!slim && !question && m.answer && v.status !== "rewound" && <Settled answer={m.answer} quiet />}
    </div>
  );
}
