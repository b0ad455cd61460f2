import type { Receipt, Session } from "@clew-run/client";
import { useState } from "react";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { ending, type Ended } from "./ending";
import type { Where } from "./usePlace";
import { timeWords } from "./words";

/** Goes back and forth. Every way is offered with its way back. */
export function useTravel(session: Session, onDone: () => void) {
  const t = useWords(timeWords);
  const [busy, setBusy] = useState(false);

  const travel = async (said: string, send: () => Promise<Receipt>, back?: (ended: Ended) => { label: string; run(): void } | undefined) => {
    const about = `travel ${session.id}`;
    setBusy(true);
    try {
      const ended = await ending(session, send);
      if (ended.how === "failed") notify({ about, tone: "fail", text: `${t.failed}${ended.reason}` });
      else if (ended.how === "unknown") notify({ about, tone: "wait", text: t.overUnheard });
      else {
        const left = ended.files?.left?.length ? ` ${t.left(ended.files.left.length)}.` : "";
        notify({ about, tone: "run", text: `${said}.${left}`, action: back?.(ended) });
      }
    } catch (e) {
      notifyError(e);
    } finally {
      setBusy(false);
      onDone();
    }
  };
  const undo = (): Promise<void> => travel(t.undone, () => session.send("undo_rewind", {}), () => ({ label: t.redo, run: () => void redo() }));
  const redo = (): Promise<void> => travel(t.redone, () => session.send("redo_rewind", {}), () => ({ label: t.undoAction, run: () => void undo() }));
  const rewind = (where: Where, files: boolean) =>
    travel(t.done, () => session.send("rewind", { message_id: where.messageId, keep_target: where.keep, restore_checkpoint: files }), () => ({ label: t.undoAction, run: () => void undo() }));
  const restoreFiles = (hash: string): Promise<void> =>
    travel(t.filesDone, () => session.send("checkpoint_restore", { commit_hash: hash, mode: "files" }), (ended) => {
      const before = ended.how === "done" ? ended.files?.before : undefined;
      return before === undefined ? undefined : { label: t.undoAction, run: () => void restoreFiles(before) };
    });
  return { busy, rewind, restoreFiles, undo, redo };
}
