import type { CellInfo } from "@clew-run/client";
import { useMemo, useState, type ReactNode } from "react";
import { useWords } from "@/i18n";
import { Button, cx, Mark } from "@/ui";
import type { Book } from "./book";
import type { Draft } from "./drafts";
import { lineDiff } from "./lineDiff";
import { notebookWords } from "./words";

/** Somebody else changed a cell while this person wrote in it: both versions, and the choice. */
export function Conflict({ book, cell, draft }: { book: Book; cell: CellInfo; draft: Draft }) {
  const t = useWords(notebookWords);
  const theirs = book.sourceOf(cell) ?? "";
  return (
    <Choice
      title={t.conflict}
      help={t.conflictHelp}
      actions={
        <>
          <Button look="main" onClick={() => void book.drafts.keep(cell.cell_id)}>
            {t.keepMine}
          </Button>
          <Button onClick={() => book.drafts.drop(cell.cell_id)}>{t.useTheirs}</Button>
        </>
      }
    >
      <Difference theirs={theirs} mine={draft.text} />
    </Choice>
  );
}

/** Somebody else deleted a cell while this person wrote in it. */
export function Gone({ book, id, draft, after }: { book: Book; id: string; draft: Draft; after: string }) {
  const t = useWords(notebookWords);
  const [busy, setBusy] = useState(false);
  const insert = async () => {
    setBusy(true);
    if ((await book.insert(after, draft.type, draft.text)) !== undefined) book.drafts.drop(id); // it is kept if that was refused
    setBusy(false);
  };
  return (
    <Choice
      title={t.goneCell}
      actions={
        <>
          <Button look="main" busy={busy} onClick={() => void insert()}>
            {t.insertMine}
          </Button>
          <Button disabled={busy} onClick={() => book.drafts.drop(id)}>
            {t.discard}
          </Button>
        </>
      }
    >
      <Difference theirs="" mine={draft.text} />
    </Choice>
  );
}

function Choice({
  title,
  help,
  actions,
  children,
}: {
  title: string;
  help?: string;
  actions: ReactNode;
  children: ReactNode;
}) {
  return (
    <section
      role="alert"
      className="overflow-hidden rounded-lg border border-ask-line bg-sheet shadow-raised"
      data-conflict
    >
      <header className="flex items-center gap-2 bg-ask-wash px-3 py-2">
        <Mark tone="ask" />
        <p className="min-w-0 font-semibold">
          {title}
          {help && <span className="font-normal text-soft"> {help}</span>}
        </p>
      </header>
      {children}
      <footer className="flex flex-wrap gap-2 border-t border-line px-3 py-2">{actions}</footer>
    </section>
  );
}

function Difference({ theirs, mine }: { theirs: string; mine: string }) {
  const t = useWords(notebookWords);
  const lines = useMemo(() => lineDiff(theirs, mine), [theirs, mine]);
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={t.difference}
      className="max-h-72 overflow-auto py-1 font-mono text-sm -outline-offset-2"
    >
      {lines.map((l, i) => (
        <div
          key={i}
          className={cx(
            "flex gap-2 px-3 whitespace-pre-wrap",
            l.kind === "add" && "bg-add-wash",
            l.kind === "del" && "bg-del-wash",
          )}
        >
          <span aria-hidden className={cx("w-2 shrink-0", l.kind === "add" ? "text-add" : "text-del")}>
            {l.kind === "add" ? "+" : l.kind === "del" ? "−" : ""}
          </span>
          {l.kind !== "same" && <span className="sr-only">{l.kind === "add" ? t.yours : t.theirs}: </span>}
          <span className="min-w-0 break-words">{l.text || " "}</span>
        </div>
      ))}
    </div>
  );
}
