import type { Session } from "@clew-run/client";
import { ChevronRight, SearchCode } from "lucide-react";
import { useId, useState } from "react";
import { useWords } from "@/i18n";
import { cx, Mark } from "@/ui";
import { duration } from "@/lib/format";
import { exploredOf } from "./call";
import { ToolCard } from "./ToolCard";
import { useCalmMessage } from "./useCalmMessage";
import { toolRow } from "./toolRow";
import { transcriptWords } from "./words";

/** Several calls in a row that only looked, as one line. */
export function Reads({ session, ids }: { session: Session; ids: readonly string[] }) {
  const t = useWords(transcriptWords);
  const [open, setOpen] = useState(false);
  const id = useId();
  useCalmMessage(session, ids.at(-1)!); // the last one tells when all are done
  const list = ids.map((i) => session.store.message(i)).filter((m) => m !== undefined);
  const failed = list.some((m) => m.tool?.status === "error");
  const running = list.some((m) => m.tool?.status === "running");
  const { files, searches } = exploredOf(list);
  const took = list.reduce((ms, m) => ms + (m.tool?.duration_ms ?? 0), 0);
  return (
    <div data-reads={ids.length}>
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)} className={toolRow}>
        <SearchCode size={15} aria-hidden className="shrink-0 text-soft" />
        <span className="shrink-0 font-medium">{t.explored}</span>
        <span className="min-w-0 truncate text-soft">{t.exploredWhat(files, searches)}</span>
        <span className="ml-auto flex shrink-0 items-center gap-2 text-sm text-faint">
          {took >= 100 && <span className="slim:hidden">{duration(took)}</span>}
          <Mark tone={failed ? "fail" : running ? "run" : "done"} live={running} />
          <span className="sr-only">{failed ? t.status.error : running ? t.status.running : t.status.complete}</span>
          <ChevronRight
            size={14}
            aria-hidden
            className={cx("transition-transform duration-(--motion)", open && "rotate-90")}
          />
        </span>
      </button>
      <div id={id} hidden={!open} className="border-l border-line pl-3">
        {open && ids.map((i) => <One key={i} session={session} id={i} />)}
      </div>
    </div>
  );
}

function One({ session, id }: { session: Session; id: string }) {
  const m = useCalmMessage(session, id);
  return m ? <ToolCard session={session} message={m} outputs={[]} slim /> : null;
}
