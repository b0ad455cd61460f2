import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { RotateCw } from "lucide-react";
import { useEffect, useMemo } from "react";
import { useWords } from "@/i18n";
import { useDebounced } from "@/lib/useDebounced";
import { useLoaded } from "@/lib/useLoaded";
import { Empty, ErrorNote, IconButton, Loading } from "@/ui";
import { DiffView, type Review } from "@/features/diff/DiffView";
import { timeWords } from "./words";

/** What changed in the files since the session began; lines can be commented on, as one message. */
export function ChangesPanel({ session, narrow }: { session: Session; narrow?: boolean }) {
  const t = useWords(timeWords);
  const checkpoint = useDebounced(useSnapshot(session, (s) => s.session?.checkpoint), 300);
  const owner = useSnapshot(session, (s) => s.session?.role === undefined || s.session.role === "owner");
  // One key over all checkpoints: what is shown stays until the new one is there.
  const diff = useLoaded(session.id, async () => (checkpoint && owner ? session.query("checkpoint_diff", {}) : null));
  const { reload } = diff;
  useEffect(() => reload(), [checkpoint, owner, reload]);
  const review = useMemo<Review>(() => ({
    session: session.id,
    // Comments are for the agent; words to an agent that asks would be taken for the answer.
    send: (text) => session.send("user_message", { text, may_answer: [], delivery: session.store.getSnapshot().questions.length > 0 ? "queue" : undefined }),
  }), [session]);
  if (!owner) return <p className="p-4 text-soft">{t.ownerFiles}</p>;
  if (diff.error !== undefined) return <div className="p-3"><ErrorNote error={diff.error} retry={diff.reload} /></div>;
  if (diff.value === undefined) return <Loading />;
  if (!diff.value) return <Empty title={t.noCheckpoint}>{t.noCheckpointHelp}</Empty>;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 pl-3">
        <p className="flex-1 text-sm text-soft">{t.since}</p>
        <IconButton label={t.refresh} icon={<RotateCw size={14} />} onClick={diff.reload} />
      </div>
      {diff.value.files.length === 0 ? (
        <Empty title={t.noDifference} />
      ) : (
        <DiffView files={diff.value.files} total={diff.value.files_count} narrow={narrow ?? true} review={review} />
      )}
    </div>
  );
}
