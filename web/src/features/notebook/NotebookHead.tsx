import type { NotebookInfo, Session } from "@clew-run/client";
import { useConnection, useSnapshot } from "@clew-run/client/react";
import { ArrowLeft, Play, RotateCw, Square, Variable } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { ConnectionBadge } from "@/app/Connection";
import { useTitle } from "@/features/session/header/useTitle";
import { answers, statusShown } from "@/features/session/header/status";
import { Views } from "@/features/session/header/Views";
import { sessionWords } from "@/features/session/words";
import { useWords } from "@/i18n";
import { useNarrow, useRoomy } from "@/lib/useNarrow";
import { Button, IconButton, StatusTag } from "@/ui";
import type { Book } from "./book";
import { KernelState } from "./KernelState";
import { NotebookMenu } from "./NotebookMenu";
import { RestartDialog } from "./dialogs";
import { notebookWords } from "./words";

interface Props {
  session: Session;
  book?: Book;
  notebook?: NotebookInfo;
  mayChange?: boolean;
  /** Brings what stands beside the cells over the page, where there is no room for it. */
  onSide?(): void;
}

/** The head of a notebook: which session, how its kernel stands, and what one can do. */
export function NotebookHead({ session, book, notebook, mayChange = false, onSide }: Props) {
  const t = useWords(notebookWords);
  const s = useWords(sessionWords);
  const narrow = useNarrow();
  const roomy = useRoomy();
  const connection = useConnection(session);
  const archived = useSnapshot(session, (x) => x.session?.archived ?? false);
  const title = useTitle(session, archived) ?? s.loading;
  const status = useSnapshot(
    session,
    (x) => x.session && statusShown(x.session.status, x.runs, x.questions.length > 0, answers(x.session.role)),
  );
  const live = connection.state === "active";
  return (
    <header className="flex h-13 shrink-0 items-center gap-2.5 border-b border-line pr-3 pl-5 phone:h-14 phone:gap-1 phone:px-1">
      {narrow && (
        <Link
          href={`/s/${session.id}`}
          aria-label={t.backToChat}
          className="flex size-(--row) shrink-0 items-center justify-center rounded text-soft hover:bg-hover"
        >
          <ArrowLeft size={18} aria-hidden />
        </Link>
      )}
      <div className="flex min-w-0 flex-1 items-center gap-2.5 phone:flex-col phone:items-start phone:gap-0">
        <h1 className="max-w-full min-w-0 truncate text-lg font-semibold" title={title}>
          <span className="sr-only">{t.notebook}: </span>
          {title}
        </h1>
        {narrow
          ? notebook && <KernelState notebook={notebook} />
          : status && roomy && status !== "idle" && <StatusTag status={status} live={live} />}
      </div>
      {!narrow && <Views session={session} at="notebook" />}
      <div className="flex min-w-0 items-center justify-end gap-2 desk:flex-1 phone:gap-0">
        {!live && (
          <span className="text-sm">
            <ConnectionBadge connection={connection} onRetry={session.reconnect} />
          </span>
        )}
        {roomy && notebook?.unsaved && (
          <span className="truncate text-sm text-faint" data-unsaved>
            {t.unsaved}
          </span>
        )}
        {!narrow && notebook && <KernelState notebook={notebook} />}
        {!narrow && book && notebook && mayChange && <Acts book={book} notebook={notebook} roomy={roomy} />}
        {onSide && (
          <IconButton
            label={t.variables}
            icon={<Variable size={narrow ? 19 : 16} />}
            onClick={onSide}
            aria-haspopup="dialog"
          />
        )}
        {book && notebook && <NotebookMenu session={session} book={book} notebook={notebook} mayChange={mayChange} />}
      </div>
    </header>
  );
}

/** What one does all the time. */
function Acts({ book, notebook, roomy }: { book: Book; notebook: NotebookInfo; roomy: boolean }) {
  const t = useWords(notebookWords);
  const [asking, setAsking] = useState(false);
  const busy = notebook.run !== undefined || notebook.queue.length > 0;
  const stopping = notebook.kernel.wanted === "interrupt";
  const edge = "border border-line2 bg-sheet shadow-card";
  return (
    <>
      {roomy ? (
        <Button icon={<Play size={14} aria-hidden />} onClick={() => void book.runAll()}>
          {t.runAll}
        </Button>
      ) : (
        <IconButton label={t.runAll} icon={<Play size={15} />} className={edge} onClick={() => void book.runAll()} />
      )}
      <IconButton
        label={stopping ? t.stopping : t.stop}
        icon={<Square size={11} fill="currentColor" />}
        className={edge}
        disabled={!busy || stopping}
        onClick={() => void book.interrupt()}
      />
      <IconButton label={t.restart} icon={<RotateCw size={15} />} className={edge} onClick={() => setAsking(true)} />
      {asking && <RestartDialog book={book} onClose={() => setAsking(false)} />}
    </>
  );
}
