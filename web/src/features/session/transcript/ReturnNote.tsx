import type { Session } from "@clew-run/client";
import { Link } from "wouter";
import { useWords } from "@/i18n";
import { Time } from "@/ui";
import type { Note } from "./notes";
import { transcriptWords } from "./words";

/** A slim note on the thread: the session went back or forth here, or was forked. */
export function ReturnNote({ session, note }: { session: Session; note: Note }) {
  const t = useWords(transcriptWords);
  const link = "underline-offset-2 hover:text-ink hover:underline";
  return (
    <p className="flex min-w-0 items-center gap-2 py-0.5 text-sm text-soft">
      {note.session ? (
        <Link href={`/s/${note.session}`} className={`min-w-0 truncate ${link}`}>
          {note.what === "forked" ? t.forked : t.forkedFrom} <span className="font-mono">{note.session}</span>
        </Link>
      ) : (
        <Link href={`/s/${session.id}/time?at=${note.id}`} className={link}>
          {note.what === "forth" ? t.wentForth(note.count) : t.wentBack(note.count)}
        </Link>
      )}
      {note.ts !== undefined && <Time ms={note.ts} className="shrink-0 text-xs" />}
    </p>
  );
}
