import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { NotebookPen } from "lucide-react";
import { useMemo } from "react";
import { Link } from "wouter";
import { notebookPath } from "@/features/notebook/path";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Mark, Time, type Tone } from "@/ui";
import type { Row } from "./rows";
import { useCalmMessage } from "./useCalmMessage";
import { transcriptWords } from "./words";

/** Most sessions have no notebook. It comes with the notebook's page: a file of its own would cost every first page its name. */
const RunOutputs = lazyPart(() => import("@/features/notebook/NotebookPage").then((m) => m.RunOutputs), true);

/** A run of a notebook's cell: which one, how it ended, and what it put out. */
export function CellRun({ session, row }: { session: Session; row: Row }) {
  const t = useWords(transcriptWords);
  const ids = useMemo(() => [row.id, ...row.more], [row]);
  const first = useCalmMessage(session, row.id);
  const of = first?.cell;
  const notebook = useSnapshot(session, (s) => s.notebooks.find((n) => n.notebook_id === of?.notebook_id));
  const cell = useSnapshot(session, (s) =>
    s.cells.find((c) => c.cell_id === of?.cell_id && c.notebook_id === of?.notebook_id),
  );
  if (!of || !first) return null;
  const n = (notebook?.cells.indexOf(of.cell_id ?? "") ?? -1) + 1;
  const failed = ids.some((id) => session.store.message(id)?.cell?.output === "error");
  const repeated = cell?.status === "running" && notebook?.run?.run_id !== of.run_id; // which shows nothing
  const latest = cell?.run_id === of.run_id && !repeated ? cell.status : undefined; // what became of an earlier run is not held
  const status =
    latest === "running" || latest === "aborted" || latest === "in_doubt" ? latest : failed ? "error" : "ok";
  const name = (
    <>
      {t.cell(n)}
      {notebook?.path && <span className="font-normal text-soft"> · {notebook.path}</span>}
    </>
  );
  return (
    <div data-run={of.run_id} data-status={status}>
      <p className="flex min-h-8 min-w-0 items-center gap-2">
        <NotebookPen size={15} aria-hidden className="shrink-0 text-soft" />
        {notebook ? (
          <Link
            href={
              notebookPath(session, notebook.notebook_id) + (n > 0 ? `?cell=${encodeURIComponent(of.cell_id!)}` : "")
            }
            className="min-w-0 truncate rounded font-medium underline-offset-2 hover:underline"
          >
            {name}
          </Link>
        ) : (
          <span className="font-medium">{name}</span>
        )}
        <Time ms={first.ts} className="shrink-0 text-xs text-faint" />
        <span className="nb-mark ml-auto shrink-0">
          <Mark tone={tones[status]} live={status === "running"} />
        </span>
        <span className="sr-only">{t.cellStatus[status]}</span>
      </p>
      <RunOutputs
        session={session}
        ids={ids}
        n={n}
        more={(left) => <p className="text-sm text-soft">{t.moreOutputs(left)}</p>}
      />
    </div>
  );
}

const tones: Record<"running" | "ok" | "error" | "aborted" | "in_doubt", Tone> = {
  running: "run",
  ok: "done",
  error: "fail",
  aborted: "past",
  in_doubt: "ask",
};
