import type { Question, Session, TimelineMark } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { GitFork, Redo2, RotateCcw, Undo2 } from "lucide-react";
import { useEffect, useState } from "react";
import { notify } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, cx, ErrorNote, Loading, Mark, Segmented, Switch } from "@/ui";
import { DiffView } from "@/features/diff/DiffView";
import { ForkDialog } from "./ForkDialog";
import { Summary } from "./Summary";
import { type Losses, UndoDialog } from "./UndoDialog";
import { type Place, whereTo } from "./usePlace";
import { changedByHand, usePreview } from "./usePreview";
import { useTravel } from "./useTravel";
import { timeWords } from "./words";

/** What going back would change, and the ways to do it. */
export function PreviewPanel({
  session,
  record,
  place,
  hidden,
  owner,
  said,
  filesTravelled,
  newest,
  onTravel,
}: {
  session: Session;
  /** Where somebody stands now; the place of it may be on its way. */
  record: string | undefined;
  place: Place | undefined;
  hidden: boolean;
  owner: boolean;
  /** What was said since the last rewind: undoing that takes it along. */
  said: readonly TimelineMark[];
  /** Some rewind of the session took files along: undoing it does, too. */
  filesTravelled: boolean;
  /** The newest message of the session: with each the preview is another one. */
  newest: string | undefined;
  onTravel(): void;
}) {
  const t = useWords(timeWords);
  const [taken, setTaken] = useState(false);
  const [overwrite, setOverwrite] = useState(false);
  const [round, setRound] = useState(0);
  const [forking, setForking] = useState(false);
  const [asking, setAsking] = useState<Losses | null>(null);
  const info = useSnapshot(session, (s) => s.session);
  const where = whereTo(place, taken);
  const answer = place?.answer;
  const preview = usePreview(session, owner && !hidden ? where : undefined, `${round} ${newest}`);
  const again = () => setRound((r) => r + 1);
  const travel = useTravel(session, () => {
    again();
    onTravel();
  });
  useEffect(() => {
    setOverwrite(false);
    setTaken(false);
  }, [place?.record]);

  const p = preview.answer;
  // Nobody goes back to where the slider was a moment ago.
  const moved = place?.record !== record;
  const stale = preview.stale || moved;
  const travelling = travel.busy || !!info?.returning;
  const busy = travelling || stale;
  const guarded = preview.byHand.length > 0 && !overwrite;
  const noFiles = !p || !!p.files_problem || !p.checkpoint_id;
  const fileCount = p?.files_count ?? p?.files?.length ?? 0;
  const stays = !!p && p.count === 0 && !answer; // an answer by a button is no message, and goes
  const nothing = stays && (noFiles || fileCount === 0);
  const ready = owner && !hidden && preview.error === undefined && p && place && where;

  /** Looks once more right before files are overwritten: somebody may just have saved one. */
  const unlessByHand = async () => {
    if (overwrite || (await changedByHand(session)).length === 0) return true;
    notify({ tone: "ask", text: t.changedMeanwhile });
    again();
    return false;
  };
  /** Undo and redo bring files along and hide what was said since; both are named before. */
  const unlessLost = (undo: boolean, go: () => Promise<void>) => async () => {
    const files = filesTravelled ? (await changedByHand(session)).length : 0;
    const lost = undo ? said : [];
    if (files === 0 && lost.length === 0) return true;
    setAsking({ files, said: lost, undo, go: () => void go() });
    return false;
  };
  return (
    <section aria-label={t.whatChanges} className="flex min-w-0 flex-col md:min-h-0 md:flex-1">
      <header className="flex min-h-12 flex-wrap items-center gap-2 px-5 pt-2">
        <h2 className="mr-auto text-xl font-semibold">{answer ? t.goBeforeAnswer : t.goBack}</h2>
        {ready && place.exact && (
          <Segmented
            label={t.where}
            value={where.keep ? "keep" : "before"}
            onChange={(v) => setTaken(v === "before")}
            options={[
              { id: "keep", name: t.keepMessage },
              { id: "before", name: t.beforeMessage },
            ]}
          />
        )}
        {info?.can_undo && owner && (
          <Button
            icon={<Undo2 size={14} />}
            busy={travelling}
            onClick={() => void travel.undo(unlessLost(true, travel.undo))}
          >
            {t.undo}
          </Button>
        )}
        {info?.can_redo && owner && (
          <Button
            icon={<Redo2 size={14} />}
            busy={travelling}
            onClick={() => void travel.redo(unlessLost(false, travel.redo))}
          >
            {t.redo}
          </Button>
        )}
      </header>
      {info?.returning && (
        <p role="status" className="flex items-center gap-2 px-4 pt-3 text-run">
          <Mark tone="run" live />
          {t.returning}
        </p>
      )}
      {!owner ? (
        <p className="px-5 py-2 text-soft">{t.readOnly}</p>
      ) : hidden ? (
        <p className="px-5 py-2 text-soft">{t.hiddenHere}</p>
      ) : place && !where ? (
        <p className="px-5 py-2 text-soft">{t.nothingBefore}</p>
      ) : preview.error !== undefined ? (
        <div className="p-4">
          <ErrorNote error={preview.error} retry={again} />
        </div>
      ) : !p || !place || !where ? (
        <Loading label={t.loadingPreview} />
      ) : (
        <>
          <div
            className={cx("flex flex-col gap-3 px-5 pt-1 pb-4", moved && "opacity-60")}
            aria-busy={stale}
            data-preview={stale ? undefined : p.from_message_id}
            data-keeps={where.keep}
          >
            {nothing && where.keep ? (
              <p>{place.exact ? t.isNow : t.isNowBehind}</p>
            ) : (
              <>
                <p className="text-soft">
                  {answer ? (
                    <AnswerHelp answer={answer} reopened={p.reopened ?? []} />
                  ) : !place.exact ? (
                    t.behindHelp
                  ) : where.keep ? (
                    t.keepHelp
                  ) : (
                    t.beforeHelp
                  )}
                </p>
                <Summary preview={p} />
              </>
            )}
            {preview.byHand.length > 0 && (
              <div className="rounded border border-ask/50 bg-ask-wash px-3 py-1.5">
                <p className="font-medium text-ask">{t.byHand(preview.byHand.length)}</p>
                <p className="font-mono text-sm break-all">
                  {preview.byHand
                    .slice(0, 5)
                    .map((f) => f.paths.relative)
                    .join(", ")}
                  {preview.byHand.length > 5 && ` ${t.andMore(preview.byHand.length - 5)}`}
                </p>
                <Switch checked={overwrite} onChange={setOverwrite} label={t.overwrite} hint={t.overwriteHint} />
              </div>
            )}
            <div className="flex flex-wrap gap-2">
              <Button
                look="main"
                icon={<RotateCcw size={14} aria-hidden />}
                busy={busy}
                disabled={noFiles || guarded || nothing}
                onClick={() => void travel.rewind(where, true, unlessByHand)}
              >
                {t.both}
              </Button>
              <Button busy={busy} disabled={stays} onClick={() => void travel.rewind(where, false)}>
                {t.talk}
              </Button>
              <Button
                busy={busy}
                disabled={noFiles || guarded || fileCount === 0}
                onClick={() => void travel.restoreFiles(p.checkpoint_id!, unlessByHand)}
              >
                {t.files}
              </Button>
              <Button
                look="quiet"
                icon={<GitFork size={14} />}
                className="md:ml-auto"
                busy={stale}
                onClick={() => setForking(true)}
              >
                {answer ? t.forkAnswer : t.fork}…
              </Button>
            </div>
            {!nothing && <p className="text-sm text-soft">{t.undoable}</p>}
          </div>
          {p.files && p.files.length > 0 && (
            <div className="flex flex-col border-t border-line max-md:h-96 md:min-h-64 md:flex-1">
              <DiffView key={p.checkpoint_id} files={p.files} total={p.files_count} />
            </div>
          )}
        </>
      )}
      {forking && where && (
        <ForkDialog session={session} where={where} answer={!!answer} onClose={() => setForking(false)} />
      )}
      {asking && <UndoDialog losses={asking} onClose={() => setAsking(null)} />}
    </section>
  );
}

/** What becomes of a question before whose answer the session goes. Those that a tool asked while it ran are over with it. */
function AnswerHelp({ answer, reopened }: { answer: TimelineMark; reopened: readonly Question[] }) {
  const t = useWords(timeWords);
  const again = reopened.some((q) => q.request_id === answer.request_id);
  return (
    <>
      {answer.by_timeout ? t.beforeTimeoutHelp : t.beforeAnswerHelp} {again ? t.answerAnew : t.notAskedAgain}
    </>
  );
}
