import type { CellInfo } from "@clew-run/client";
import { useMemo, useRef, type MouseEvent } from "react";
import { useWords } from "@/i18n";
import { CodeText } from "@/lib/CodeText";
import { Markdown } from "@/lib/Markdown";
import { useLoaded } from "@/lib/useLoaded";
import { cx, ErrorNote } from "@/ui";
import type { Book } from "./book";
import type { CellActs } from "./CellView";
import type { Draft } from "./drafts";
import { Editor } from "./editor/Editor";
import type { EditorProps } from "./editor/mount";
import { useEditorPart } from "./editor/useEditorPart";
import { notebookWords } from "./words";

/** Where a cursor begins in an editor. */
export type Start = EditorProps["start"];

interface Props {
  book: Book;
  cell: CellInfo;
  n: number;
  draft: Draft | undefined;
  editing: Start | undefined;
  mayChange: boolean;
  language: string;
  acts: CellActs;
}

const mono = "font-mono text-base phone:text-sm";

/** The source of a cell: set as it reads, with an editor in the one that somebody writes in. */
export function Source({ book, cell, n, draft, editing, mayChange, language, acts }: Props) {
  const t = useWords(notebookWords);
  const part = useEditorPart();
  const address = cell.source_blob ?? "";
  const of = `${book.session.id} ${cell.cell_id}`;
  const long = useLoaded(address && `${of} ${address}`, async () => (address === "" ? "" : book.fetchSource(address)));
  const here = draft?.text ?? book.sourceOf(cell);
  const last = useRef<{ of: string; text: string }>(undefined);
  if (here !== undefined) last.current = { of, text: here };
  const text = here ?? (last.current?.of === of ? last.current.text : undefined); // what it was stays until a long source is there
  const kernel = useMemo(
    () => ({
      complete: (code: string, at: number) => book.complete(code, at),
      inspect: (code: string, at: number) => book.inspect(code, at),
    }),
    [book],
  );
  const id = cell.cell_id;
  if (long.error !== undefined && here === undefined) return <ErrorNote error={long.error} retry={long.reload} />;
  if (text === undefined) return <p className="text-soft">{t.loadingOutput}</p>;
  if (editing && part) {
    return (
      <div className={cx(mono, "min-h-5")}>
        <Editor
          mount={part.mount}
          text={text}
          language={cell.type === "code" ? language : cell.type === "markdown" ? "markdown" : ""}
          label={t.source(n)}
          readOnly={!mayChange || here === undefined}
          start={editing}
          kernel={cell.type === "code" ? kernel : undefined}
          noInfo={t.noInfo}
          onChange={(next) => book.drafts.write(id, next)}
          onBlur={() => void book.drafts.flush(id)}
          onRun={(then) => acts.run(id, then)}
          onLeave={() => acts.leave(id)}
          onEdge={(by) => acts.step(id, by)}
        />
      </div>
    );
  }
  const begin = (e: MouseEvent) => {
    if (e.button !== 0 || !mayChange || getSelection()?.isCollapsed === false) return;
    acts.edit(id, { x: e.clientX, y: e.clientY });
  };
  if (cell.type === "markdown") {
    return (
      <div className="text-md" onDoubleClick={() => mayChange && acts.edit(id, "end")}>
        {text.trim() === "" ? <p className="text-soft">{t.emptyText}</p> : <Markdown text={text} />}
      </div>
    );
  }
  return (
    <pre
      onClick={begin}
      dir="ltr"
      className={cx(mono, "min-h-5 break-words whitespace-pre-wrap", mayChange && "cursor-text")}
    >
      <code>
        {text === "" ? (
          <span className="sr-only">{t.empty}</span>
        ) : (
          <CodeText code={text} lang={cell.type === "code" ? language : ""} />
        )}
      </code>
    </pre>
  );
}
