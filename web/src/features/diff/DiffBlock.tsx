import type { CheckpointFile } from "@clew-run/client";
import { useEffect, useMemo, useState } from "react";
import { useWords } from "@/i18n";
import { copyText } from "@/lib/copy";
import { useFileColours } from "./colours";
import { Counts } from "./FileHead";
import { parsedFile } from "./items";
import { Gap, LineRow } from "./LineRow";
import { filesOf, mixedEnds, stacked } from "./parse";
import { diffWords } from "./words";

const none: never[] = [];
const mostAtOnce = 1_000;

/** How files differ, in the middle of other things: its first lines, and the way to the rest. */
export function DiffBlock({
  diff,
  label,
  most,
  onOpen,
}: {
  diff: string;
  label: string;
  /** How many lines it shows at first. */
  most: number;
  /** Leads to where all changes are. */
  onOpen?(): void;
}) {
  const t = useWords(diffWords);
  const [all, setAll] = useState(false);
  const files = useMemo(
    () =>
      filesOf(diff).map((f) =>
        parsedFile({
          paths: { relative: f.path, absolute: "", old: f.old },
          content: { before: "", after: "" },
          unified: f.unified,
        } satisfies CheckpointFile),
      ),
    [diff],
  );
  const rows = useMemo(
    () => files.flatMap((of) => stacked(of.rows).map((row) => ({ of, row, showCr: mixedEnds(of.rows) }))),
    [files],
  );
  const lines = rows.filter((r) => r.row.kind !== "gap").length;
  const shown = rows.slice(0, firstRows(rows, all ? mostAtOnce : most));
  const told = shown.filter((r) => r.row.kind !== "gap").length;
  const colours = useFileColours(files);
  // A text that is no difference is shown as it is.
  if (lines === 0)
    return (
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className="diff max-h-72 overflow-auto rounded-lg border border-line bg-sheet px-3 py-2 whitespace-pre-wrap"
      >
        {diff}
      </pre>
    );
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sheet" data-diff>
      <div tabIndex={0} role="group" aria-label={label} className="max-h-96 overflow-auto -outline-offset-2">
        {shown.map(({ of, row, showCr }, i) => (
          <div key={i}>
            {files.length > 1 && of !== shown[i - 1]?.of && (
              <p className="flex items-center gap-2 border-y border-line bg-well px-3 py-1 font-mono text-sm">
                <bdi className="min-w-0 truncate">{of.file.paths.relative}</bdi>
                <Counts added={of.added} removed={of.removed} />
              </p>
            )}
            {row.kind === "gap" ? (
              i > 0 && <Gap row={row} words={t} />
            ) : (
              <LineRow
                index={i}
                path={of.file.paths.relative}
                row={row}
                split={false}
                showCr={showCr}
                comments={none}
                writing={null}
                stop={null}
                colours={colours.get(of.key)}
                words={t}
              />
            )}
          </div>
        ))}
      </div>
      {(onOpen || told < lines) && (
        <div className="flex flex-wrap items-center gap-x-3.5 border-t border-line px-3 py-1 text-sm">
          {onOpen && (
            <button
              type="button"
              className="min-h-6 text-run hover:underline pointer-coarse:min-h-(--row)"
              onClick={onOpen}
            >
              {t.openChanges}
            </button>
          )}
          {told < lines && !all && (
            <button
              type="button"
              className="min-h-6 text-run hover:underline pointer-coarse:min-h-(--row)"
              onClick={() => setAll(true)}
            >
              {t.showAll}
            </button>
          )}
          <Copying text={diff} />
          <span className="flex-1" />
          {told < lines && <span className="text-faint">{t.shownLines(told, lines)}</span>}
        </div>
      )}
    </div>
  );
}

/** How many rows it takes to show so many lines. */
function firstRows(rows: readonly { row: { kind: string } }[], most: number): number {
  let lines = 0;
  for (let i = 0; i < rows.length; i++) if (rows[i]!.row.kind !== "gap" && ++lines > most) return i;
  return rows.length;
}

function Copying({ text }: { text: string }) {
  const t = useWords(diffWords);
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <button
      type="button"
      className="min-h-6 text-run hover:underline pointer-coarse:min-h-(--row)"
      onClick={() => void copyText(text).then(setDone)}
    >
      {done ? t.copied : t.copy}
    </button>
  );
}
