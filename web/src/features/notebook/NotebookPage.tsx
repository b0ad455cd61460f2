import type { NotebookInfo, Session } from "@clew-run/client";
import { useConnection, useSession, useSnapshot } from "@clew-run/client/react";
import { NotebookPen } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Redirect } from "wouter";
import { Notices } from "@/features/notices/Notices";
import { isFinal, Problem } from "@/features/session/Problem";
import { PhoneTabs } from "@/features/session/side/PhoneTabs";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { useNarrow, useRoomy } from "@/lib/useNarrow";
import { Drawer, Empty, Loading } from "@/ui";
import { Banner } from "./Banner";
import { bookOf } from "./book";
import { Cells } from "./Cells";
import { NotebookHead } from "./NotebookHead";
import { OpenForm } from "./OpenNotebook";
import { PhoneFoot } from "./PhoneFoot";
import { notebookPath } from "./path";
import { Side } from "./Side";
import { useNotebookCommands } from "./useNotebookCommands";
import { notebookWords } from "./words";
import "./notebook.css";

export { RunOutputs } from "./outputs/RunOutputs"; // for the transcript

const SessionDialogs = lazyPart(
  () => import("@/features/session/header/SessionDialogs").then((m) => m.SessionDialogs),
  true,
);

/** A notebook of a session: its cells, its kernel, its variables, and the conversation beside it. */
export function NotebookPage({ sessionId, notebookId }: { sessionId: string; notebookId?: string }) {
  const session = useSession(sessionId);
  const connection = useConnection(session);
  const known = useSnapshot(session, (s) => s.session !== null);
  const first = useSnapshot(session, (s) => s.notebooks[0]?.notebook_id);
  const notebook = useSnapshot(session, (s) => s.notebooks.find((n) => n.notebook_id === notebookId));
  if (!known)
    return isFinal(connection.lastError) ? (
      <Problem error={connection.lastError} retry={session.reconnect} />
    ) : (
      <Loading />
    );
  if (notebookId === undefined && first !== undefined) return <Redirect to={notebookPath(session, first)} replace />;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col" data-notebook={notebookId}>
      {notebook ? (
        <Open key={notebook.notebook_id} session={session} notebook={notebook} />
      ) : (
        <NotOpen session={session} gone={notebookId !== undefined} />
      )}
      <Notices session={session} className="top-16 right-5" />
      <SessionDialogs session={session} />
    </div>
  );
}

function NotOpen({ session, gone }: { session: Session; gone: boolean }) {
  const t = useWords(notebookWords);
  const narrow = useNarrow();
  return (
    <>
      <NotebookHead session={session} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Empty icon={<NotebookPen size={22} />} title={gone ? t.gone : t.none}>
          {gone ? t.goneHelp : t.noneHelp}
        </Empty>
        <div className="mx-auto max-w-md px-4 pb-10">
          <OpenForm session={session} />
        </div>
      </div>
      {narrow && <PhoneTabs session={session} at="notebook" />}
    </>
  );
}

function Open({ session, notebook }: { session: Session; notebook: NotebookInfo }) {
  const t = useWords(notebookWords);
  const book = useMemo(() => bookOf(session, notebook.notebook_id), [session, notebook.notebook_id]);
  const narrow = useNarrow();
  const roomy = useRoomy();
  const [over, setOver] = useState(false);
  const mayChange = useSnapshot(session, (s) => s.session?.role === undefined || s.session.role === "owner");
  useNotebookCommands(book, notebook, mayChange);
  useEffect(() => {
    void book.drafts.flushAll(); // what was left here before
    const hide = () => void (document.hidden && book.drafts.flushAll());
    document.addEventListener("visibilitychange", hide);
    return () => {
      document.removeEventListener("visibilitychange", hide);
      void book.drafts.flushAll();
    };
  }, [book]);
  const side = <Side session={session} notebook={notebook} onClose={roomy ? undefined : () => setOver(false)} />;
  return (
    <>
      <NotebookHead
        session={session}
        book={book}
        notebook={notebook}
        mayChange={mayChange}
        onSide={roomy ? undefined : () => setOver(true)}
      />
      <div className="flex min-h-0 flex-1">
        <section aria-label={t.notebook} className="flex min-h-0 min-w-0 flex-1 flex-col">
          <Banner book={book} notebook={notebook} mayChange={mayChange} />
          {notebook.status === "ready" ? (
            <Cells session={session} book={book} notebook={notebook} mayChange={mayChange} />
          ) : (
            <NotReady notebook={notebook} />
          )}
        </section>
        {roomy && (
          <aside aria-label={t.side} className="flex w-[312px] shrink-0 flex-col border-l border-line">
            {side}
          </aside>
        )}
      </div>
      {!roomy && over && (
        <Drawer side="right" label={t.side} onClose={() => setOver(false)} className="top-0 h-full w-95">
          {side}
        </Drawer>
      )}
      {narrow && <PhoneFoot session={session} book={book} notebook={notebook} mayChange={mayChange} />}
      {narrow && <PhoneTabs session={session} at="notebook" />}
    </>
  );
}

function NotReady({ notebook }: { notebook: NotebookInfo }) {
  const t = useWords(notebookWords);
  if (notebook.status === "opening") return <Loading label={t.opening} />;
  return (
    <Empty icon={<NotebookPen size={22} />} title={t.failed}>
      {notebook.problem}
    </Empty>
  );
}
