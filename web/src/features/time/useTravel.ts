import type { Receipt, Session } from "@clew-run/client";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useOneAtATime } from "@/lib/useOneAtATime";
import { ending, type Ended } from "./ending";
import type { Where } from "./usePlace";
import { timeWords } from "./words";

/** Goes back and forth. Every way is offered with its way back. */
export function useTravel(session: Session, onDone: () => void) {
  const t = useWords(timeWords);
  const { busy, run } = useOneAtATime();

  const travel = (
    said: string,
    first: First,
    send: () => Promise<Receipt>,
    back?: (ended: Ended) => { label: string; run(): void } | undefined,
  ) =>
    run(async (done) => {
      const about = `travel ${session.id}`;
      if (!(await first().catch(refused))) return;
      try {
        const ended = await done(ending(session, send));
        if (ended.how === "failed") notify({ about, tone: "fail", text: `${t.failed}${ended.reason}` });
        else if (ended.how === "unknown") notify({ about, tone: "wait", text: t.overUnheard });
        else {
          const left = ended.files?.left?.length ? ` ${t.left(ended.files.left.length)}.` : "";
          notify({ about, tone: "run", text: `${said}.${left}`, action: back?.(ended) });
        }
      } catch (e) {
        notifyError(e);
      } finally {
        onDone();
      }
    });
  const undo = (first = unasked): Promise<void> =>
    travel(
      t.undone,
      first,
      () => session.send("undo_rewind", {}),
      () => ({ label: t.redo, run: () => void redo() }),
    );
  const redo = (first = unasked): Promise<void> =>
    travel(
      t.redone,
      first,
      () => session.send("redo_rewind", {}),
      () => ({ label: t.undoAction, run: () => void undo() }),
    );
  const rewind = (where: Where, files: boolean, first = unasked) =>
    travel(
      t.done,
      first,
      () => session.send("rewind", { message_id: where.messageId, keep_target: where.keep, restore_checkpoint: files }),
      () => ({ label: t.undoAction, run: () => void undo() }),
    );
  const restoreFiles = (hash: string, first = unasked): Promise<void> =>
    travel(
      t.filesDone,
      first,
      () => session.send("checkpoint_restore", { commit_hash: hash, mode: "files" }),
      (ended) => {
        const before = ended.how === "done" ? ended.files?.before : undefined;
        return before === undefined ? undefined : { label: t.undoAction, run: () => void restoreFiles(before) };
      },
    );
  return { busy, rewind, restoreFiles, undo, redo };
}

/** Looks whether it may begin; false leaves everything as it is. */
type First = () => Promise<boolean>;

const unasked: First = async () => true;

/** It could not be looked at: then nothing begins. */
function refused(e: unknown): false {
  notifyError(e);
  return false;
}
