import type { Session, TimelineMark } from "@clew-run/client";
import { useState } from "react";
import { useWords } from "@/i18n";
import { clockTime } from "@/lib/format";
import { useLoaded } from "@/lib/useLoaded";
import { Dialog, Empty, ErrorNote, Field, Loading, Select } from "@/ui";
import { DiffView } from "@/features/diff/DiffView";
import { transcriptWords } from "@/features/session/transcript/words";
import { describe } from "./marks";
import { timeWords } from "./words";

/** How files differ between any two checkpoints, or from one to now. */
export function CompareDialog({
  session,
  marks,
  open,
  onClose,
}: {
  session: Session;
  marks: readonly TimelineMark[];
  open: boolean;
  onClose(): void;
}) {
  const t = useWords(timeWords);
  const points = marks.filter((m) => m.checkpoint);
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  return (
    <Dialog open={open} onClose={onClose} title={t.compare} wide>
      {points.length === 0 ? (
        <Empty title={t.noCheckpoint}>{t.noCheckpointHelp}</Empty>
      ) : (
        <div className="flex h-[65dvh] flex-col gap-3">
          <div className="grid grid-cols-2 gap-3">
            <Field label={t.compareFrom}>
              {(p) => (
                <Select {...p} value={from} onChange={(e) => setFrom(e.target.value)}>
                  <option value="">{t.first}</option>
                  <Points points={points} />
                </Select>
              )}
            </Field>
            <Field label={t.compareTo}>
              {(p) => (
                <Select {...p} value={to} onChange={(e) => setTo(e.target.value)}>
                  <option value="">{t.filesNow}</option>
                  <Points points={points} />
                </Select>
              )}
            </Field>
          </div>
          {open && <Difference session={session} from={from} to={to} />}
        </div>
      )}
    </Dialog>
  );
}

function Points({ points }: { points: readonly TimelineMark[] }) {
  const t = useWords(timeWords);
  const { tools } = useWords(transcriptWords);
  return points.map((p) => (
    <option key={p.message_id} value={p.checkpoint}>
      {clockTime(p.ts)} {describe(p, t, tools)}
    </option>
  ));
}

function Difference({ session, from, to }: { session: Session; from: string; to: string }) {
  const t = useWords(timeWords);
  const diff = useLoaded(`${from}..${to}`, () =>
    session.query("checkpoint_diff", { from: from || undefined, to: to || undefined }),
  );
  if (diff.error !== undefined) return <ErrorNote error={diff.error} retry={diff.reload} />;
  if (!diff.value) return <Loading />;
  if (diff.value.files.length === 0) return <Empty title={t.noDifference} />;
  return <DiffView files={diff.value.files} total={diff.value.files_count} />;
}
