import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Redo2, Undo2 } from "lucide-react";
import { announce, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, Mark } from "@/ui";
import { sessionWords } from "./words";

/** Right after going back (the record `after`): a line that says so, and undoes it. */
export function Returned({ session, after }: { session: Session; after?: string }) {
  const t = useWords(sessionWords);
  const info = useSnapshot(session, (s) => s.session);
  // Once work has gone on from there, one click would hide all of it: then the way
  // back is on the time page, which asks first.
  const wentOn = useSnapshot(session, (s) => after !== undefined && isAfter(s.messageIds.at(-1), after));
  if (info?.returning) return <p role="status" className="flex items-center gap-2 border-t border-line px-4 py-1.5 text-run"><Mark tone="run" live size={10} />{t.returning}</p>;
  if (!info?.can_undo && !info?.can_redo) return null;
  if (after === undefined || wentOn) return null;
  if (info.role !== undefined && info.role !== "owner") return null;
  const say = (type: "undo_rewind" | "redo_rewind") => void session.send(type, {}).then(() => announce(t.undone), notifyError);
  return (
    <div className="flex min-h-8 items-center gap-2 border-t border-line px-4 text-sm text-soft" data-returned>
      <Mark tone="past" size={10} />
      <span className="flex-1">{info.can_undo ? t.wentBack : ""}</span>
      {info.can_undo && <Button look="quiet" icon={<Undo2 size={13} />} onClick={() => say("undo_rewind")}>{t.undo}</Button>}
      {info.can_redo && <Button look="quiet" icon={<Redo2 size={13} />} onClick={() => say("redo_rewind")}>{t.redo}</Button>}
    </div>
  );
}

function isAfter(id: string | undefined, other: string): boolean {
  return id !== undefined && (id.length !== other.length ? id.length > other.length : id > other);
}
