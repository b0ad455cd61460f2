import type { CellInfo, NotebookInfo, Session } from "@clew-run/client";
import {
  ArrowDown,
  ArrowUp,
  Clock,
  Eraser,
  History,
  MoreHorizontal,
  PanelBottomOpen,
  PanelTopOpen,
  Pencil,
  Pilcrow,
  Play,
  Square,
  StepForward,
  Trash2,
} from "lucide-react";
import type { ReactNode } from "react";
import { useMe } from "@/app/account";
import { useServerNow } from "@/features/session/plan/useServerNow";
import { useWords } from "@/i18n";
import { duration } from "@/lib/format";
import { Badge, cx, IconButton, Mark, Menu, type MenuEntry } from "@/ui";
import { isLocked, type Book } from "./book";
import type { CellActs } from "./CellView";
import type { Draft } from "./drafts";
import { notebookWords } from "./words";

interface Props {
  session: Session;
  book: Book;
  notebook: NotebookInfo;
  cell: CellInfo;
  n: number;
  draft: Draft | undefined;
  editing: boolean;
  mayChange: boolean;
  acts: CellActs;
}

const small = "[--row:26px] pointer-coarse:[--row:44px]";

/** How the last run of a cell went, and what one can do with it. On a phone it is a line of its own. */
export function CellMeta({ session, book, notebook, cell, n, draft, editing, mayChange, acts }: Props) {
  const t = useWords(notebookWords);
  const code = cell.type === "code";
  const runs = cell.status === "running";
  const stopping = notebook.kernel.wanted === "interrupt";
  const again = cell.stale === true && !isLocked(cell);
  return (
    <div
      className="-my-0.5 flex shrink-0 items-center gap-2 text-sm text-soft phone:my-0 phone:w-full phone:pl-1"
      data-meta
    >
      {code && <span className="hidden font-mono phone:inline">[{runs ? "*" : (cell.execution_count ?? " ")}]</span>}
      <Facts
        session={session}
        notebook={notebook}
        cell={cell}
        draft={draft}
        retry={() => void book.drafts.flush(cell.cell_id)}
      />
      <span className="hidden flex-1 phone:block" />
      {mayChange && again && (
        <button
          type="button"
          onClick={() => acts.run(cell.cell_id, "stay")}
          className="rounded font-medium text-run hover:underline pointer-coarse:min-h-(--row)"
        >
          {t.runAgain}
        </button>
      )}
      {mayChange && (
        <span className={cx("flex items-center", small)}>
          {!code ? (
            <IconButton
              label={t.edit}
              icon={<Pencil size={13} />}
              disabled={editing}
              onClick={() => acts.edit(cell.cell_id, "end")}
            />
          ) : runs ? (
            <IconButton
              label={stopping ? t.stopping : t.stop}
              icon={<Square size={12} fill="currentColor" />}
              disabled={stopping}
              onClick={() => void book.interrupt()}
            />
          ) : (
            <IconButton
              label={t.run}
              icon={<Play size={14} />}
              disabled={isLocked(cell)}
              onClick={() => acts.run(cell.cell_id, "stay")}
            />
          )}
          <CellMenu book={book} notebook={notebook} cell={cell} n={n} acts={acts} />
        </span>
      )}
    </div>
  );
}

/** Who ran it, how long it took, and what one should know about it. */
function Facts({
  session,
  notebook,
  cell,
  draft,
  retry,
}: {
  session: Session;
  notebook: NotebookInfo;
  cell: CellInfo;
  draft: Draft | undefined;
  retry(): void;
}) {
  const t = useWords(notebookWords);
  const me = useMe()?.user_id;
  const status = cell.status ?? "";
  const who = cell.task_id ? t.agent : cell.by && cell.by !== me ? cell.by : "";
  const place = status === "queued" ? notebook.queue.findIndex((r) => r.cell_id === cell.cell_id) + 1 : 0;
  return (
    <>
      {draft?.error !== undefined && (
        <span className="flex items-center gap-1.5 text-fail">
          <Mark tone="fail" size={10} />
          {t.notSent}
          <button
            type="button"
            onClick={retry}
            className="rounded font-medium text-run hover:underline pointer-coarse:min-h-(--row)"
          >
            {t.tryAgain}
          </button>
        </span>
      )}
      {draft && isLocked(cell) && <span>{t.waitsForRun}</span>}
      {cell.stale && !isLocked(cell) && (
        <span title={t.staleHelp}>
          <Badge>
            <History size={12} aria-hidden />
            {t.stale}
          </Badge>
        </span>
      )}
      {who !== "" && status !== "" && (
        <span className="max-w-32 truncate" title={cell.task_id ? t.byAgent : t.by(who)}>
          {who}
        </span>
      )}
      {status === "running" && <Seconds session={session} since={cell.started_ms ?? notebook.run_since_ms} />}
      {status === "queued" && (
        <span className="flex items-center gap-1">
          <Clock size={13} aria-hidden />
          {place > 0 ? t.queued(place) : t.statuses.queued}
        </span>
      )}
      {(status === "ok" || status === "error") && cell.duration_ms !== undefined && (
        <span className="tabular-nums">{cell.duration_ms < 50 ? "<0.1 s" : duration(cell.duration_ms)}</span>
      )}
      {status === "aborted" && <Said reason={cell.reason}>{t.aborted}</Said>}
      {status === "in_doubt" && (
        <Said reason={cell.reason} ask>
          {t.inDoubt}
        </Said>
      )}
      {status === "ok" && <Mark tone="done" size={11} />}
      {status === "error" && (
        <span className="flex items-center gap-1 text-fail">
          <Mark tone="fail" size={10} />
          <span className="sr-only">{t.errored}</span>
        </span>
      )}
    </>
  );
}

function Said({ reason, ask, children }: { reason?: string; ask?: boolean; children: ReactNode }) {
  return (
    <span title={reason} className={cx("flex max-w-72 items-center gap-1", ask && "text-ask")}>
      {ask && <Mark tone="ask" size={10} />}
      <span className="truncate">
        {children}
        {reason && <span className="text-soft"> · {reason}</span>}
      </span>
    </span>
  );
}

/** How long it has been running. */
function Seconds({ session, since }: { session: Session; since: number | undefined }) {
  const t = useWords(notebookWords);
  const now = useServerNow(session, true);
  return (
    <span className="flex items-center gap-1.5 text-run tabular-nums" data-running>
      <Mark tone="run" live size={10} />
      <span className="sr-only">{t.statuses.running} </span>
      {since !== undefined && duration(Math.max(0, now - since))}
    </span>
  );
}

function CellMenu({
  book,
  notebook,
  cell,
  n,
  acts,
}: {
  book: Book;
  notebook: NotebookInfo;
  cell: CellInfo;
  n: number;
  acts: CellActs;
}) {
  const t = useWords(notebookWords);
  const id = cell.cell_id;
  return (
    <Menu
      label={t.cellMenu(n)}
      trigger={<IconButton label={t.cellMenu(n)} icon={<MoreHorizontal size={14} />} />}
      items={entriesOf(t, book, notebook, id, isLocked(cell), cell.type === "code", acts)}
    />
  );
}

/** What can be done with a cell, with the keys that do the same. */
function entriesOf(
  t: typeof notebookWords.en,
  book: Book,
  notebook: NotebookInfo,
  id: string,
  locked: boolean,
  code: boolean,
  acts: CellActs,
): MenuEntry[] {
  const at = notebook.cells.indexOf(id);
  return [
    ...(code
      ? [
          {
            id: "next",
            label: t.runNext,
            keys: "Shift ⏎",
            icon: <StepForward size={14} />,
            disabled: locked,
            run: () => acts.run(id, "next"),
          },
          { id: "to", label: t.runTo, icon: <Play size={14} />, run: () => void book.runAll(id) },
          "line" as const,
        ]
      : []),
    {
      id: "above",
      label: t.insertAbove,
      keys: "A",
      icon: <PanelTopOpen size={14} />,
      run: () => acts.insert(id, "above", "code"),
    },
    {
      id: "below",
      label: t.insertBelow,
      keys: "B",
      icon: <PanelBottomOpen size={14} />,
      run: () => acts.insert(id, "below", "code"),
    },
    {
      id: "up",
      label: t.up,
      icon: <ArrowUp size={14} />,
      disabled: locked || at <= 0,
      run: () => void book.move(id, -1),
    },
    {
      id: "down",
      label: t.down,
      icon: <ArrowDown size={14} />,
      disabled: locked || at === notebook.cells.length - 1,
      run: () => void book.move(id, 1),
    },
    "line",
    code
      ? {
          id: "type",
          label: t.toMarkdown,
          keys: "M",
          icon: <Pilcrow size={14} />,
          disabled: locked,
          run: () => void book.retype(id, "markdown"),
        }
      : {
          id: "type",
          label: t.toCode,
          keys: "Y",
          icon: <Pilcrow size={14} />,
          disabled: locked,
          run: () => void book.retype(id, "code"),
        },
    ...(code
      ? [{ id: "clear", label: t.clear, icon: <Eraser size={14} />, disabled: locked, run: () => void book.clear(id) }]
      : []),
    {
      id: "delete",
      label: t.remove,
      keys: "D D",
      icon: <Trash2 size={14} />,
      danger: true,
      disabled: locked,
      run: () => acts.remove(id),
    },
  ];
}
