import type { CheckpointFile, RewindPreviewAnswer, Session } from "@clew-run/client";
import { useEffect, useState } from "react";
import type { Where } from "./usePlace";

export interface Preview {
  answer?: RewindPreviewAnswer;
  /** Files that changed since the last checkpoint, which a restore would overwrite. */
  byHand: readonly CheckpointFile[];
  error?: unknown;
  /** What is shown is not the answer to what is asked now. */
  stale: boolean;
}

/** What changed in the files since the last checkpoint: not by the agent, or not yet saved. */
export async function changedByHand(session: Session): Promise<readonly CheckpointFile[]> {
  const last = session.store.getSnapshot().session?.checkpoint;
  if (!last) return [];
  return session.query("checkpoint_diff", { from: last }).then(
    (d) => d.files,
    () => [],
  );
}

/** What going back to a message would change. Asked a moment after the last step, so that scrubbing stays quick. */
export function usePreview(session: Session, where: Where | undefined, round: string): Preview {
  const { messageId, keep = false } = where ?? {};
  const asked = `${messageId} ${keep} ${round}`;
  const [state, setState] = useState<Omit<Preview, "stale"> & { of?: string }>({ byHand: [] });
  useEffect(() => {
    if (!messageId) return;
    let over = false;
    setState((s) => ({ ...s, error: undefined }));
    const timer = setTimeout(() => {
      Promise.all([
        session
          .query("rewind_preview", { message_id: messageId, keep_target: keep, restore_checkpoint: true })
          .catch(() => session.query("rewind_preview", { message_id: messageId, keep_target: keep })), // without files, where there are none to take back
        changedByHand(session),
      ]).then(
        ([answer, byHand]) => !over && setState({ answer, byHand, of: asked }),
        (error: unknown) => !over && setState({ byHand: [], error, of: asked }),
      );
    }, 200);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [session, messageId, keep, round, asked]);
  return { ...state, stale: state.of !== asked };
}
