import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Redo2, Undo2 } from "lucide-react";
import { announce, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useOneAtATime } from "@/lib/useOneAtATime";
import { Button, cx, Mark } from "@/ui";
import { column } from "./column";
import type { Note } from "./transcript/notes";
import { sessionWords } from "./words";

/** Right after a rewind or its undo (the last of either): a line that says so, and the way back. */
export function Returned({ session, last }: { session: Session; last?: Note }) {
  const t = useWords(sessionWords);
  const info = useSnapshot(session, (s) => s.session);
  const { busy, run } = useOneAtATime();
  // Once work has gone on from there, one click would hide all of it: then the way
  // back is on the time page, which asks first.
  const wentOn = useSnapshot(session, (s) => last !== undefined && isAfter(s.messageIds.at(-1), last.id));
  if (info?.returning)
    return (
      <p role="status" className={cx(column, "flex items-center gap-2 py-1.5 text-run")}>
        <Mark tone="run" live size={10} />
        {t.returning}
      </p>
    );
  if (last === undefined || wentOn) return null;
  if (!info || (info.role !== undefined && info.role !== "owner")) return null;
  const back = last.what === "back" && info.can_undo === true;
  if (!back && !info.can_redo) return null;
  const say = (type: "undo_rewind" | "redo_rewind") =>
    void run((done) => done(session.send(type, {})).then(() => announce(back ? t.undone : t.redone), notifyError));
  return (
    <div className={cx(column, "flex min-h-8 items-center gap-2 text-sm text-soft")} data-returned>
      <Mark tone="past" size={10} />
      <span className="flex-1">{back ? t.wentBack : t.wentForth}</span>
      {back ? (
        <Button look="quiet" busy={busy} icon={<Undo2 size={13} />} onClick={() => say("undo_rewind")}>
          {t.undo}
        </Button>
      ) : (
        <Button look="quiet" busy={busy} icon={<Redo2 size={13} />} onClick={() => say("redo_rewind")}>
          {t.redo}
        </Button>
      )}
    </div>
  );
}

function isAfter(id: string | undefined, other: string): boolean {
  return id !== undefined && (id.length !== other.length ? id.length > other.length : id > other);
}
