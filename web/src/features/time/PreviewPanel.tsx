import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { GitFork, Redo2, Undo2 } from "lucide-react";
import { useEffect, useState } from "react";
import { notify } from "@/app/notices";
import { useWords } from "@/i18n";
import { useNarrow } from "@/lib/useNarrow";
import { Button, cx, Dialog, ErrorNote, Loading, Mark, Segmented, Switch } from "@/ui";
import { DiffView } from "@/features/diff/DiffView";
import { ForkDialog } from "./ForkDialog";
import { Summary } from "./Summary";
import type { Place } from "./usePlace";
import { changedByHand, usePreview } from "./usePreview";
import { useTravel } from "./useTravel";
import { timeWords } from "./words";

/** What going back would change, and the ways to do it. */
export function PreviewPanel({ session, record, place, hidden, owner, filesTravelled, onTravel }: {
  session: Session;
  /** Where somebody stands now; the place of it may be on its way. */
  record: string | undefined;
  place: Place | undefined;
  hidden: boolean;
  owner: boolean;
  /** Some rewind of the session took files along: undoing it does, too. */
  filesTravelled: boolean;
  onTravel(): void;
}) {
  const t = useWords(timeWords);
  const narrow = useNarrow();
  const [kept, setKept] = useState(false);
  const [overwrite, setOverwrite] = useState(false);
  const [round, setRound] = useState(0);
  const [forking, setForking] = useState(false);
  const [asking, setAsking] = useState<{ files: number; go(): void } | null>(null);
  const info = useSnapshot(session, (s) => s.session);
  const messageId = owner && !hidden ? place?.messageId : undefined;
  const keep = kept || place?.exact === false; // right behind a message, with what was recorded there
  const preview = usePreview(session, messageId, keep, round);
  const again = () => setRound((r) => r + 1);
  const travel = useTravel(session, () => {
    again();
    onTravel();
  });
  useEffect(() => setOverwrite(false), [messageId]);

  const p = preview.answer;
  // Nobody goes back to where the slider was a moment ago.
  const stale = preview.stale || place?.record !== record;
  const travelling = travel.busy || !!info?.returning;
  const busy = travelling || stale;
  const guarded = preview.byHand.length > 0 && !overwrite;
  const noFiles = !p || !!p.files_problem || !p.checkpoint_id;

  /** Looks once more right before files are overwritten: somebody may just have saved one. */
  const unlessByHand = async (go: () => Promise<void>) => {
    if (!overwrite && (await changedByHand(session)).length > 0) {
      notify({ tone: "ask", text: t.changedMeanwhile });
      again();
      return;
    }
    await go();
  };
  /** Undo and redo bring files along; what was edited since is named before. */
  const askIfByHand = async (go: () => Promise<void>) => {
    const files = filesTravelled ? (await changedByHand(session)).length : 0;
    if (files > 0) setAsking({ files, go: () => void go() });
    else await go();
  };
  return (
    <section aria-label={t.whatChanges} className="flex min-w-0 flex-col md:min-h-0 md:flex-1">
      <header className="flex min-h-12 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="mr-auto font-semibold">{t.goBack}</h2>
        {info?.canUndo && owner && <Button icon={<Undo2 size={14} />} busy={travelling} onClick={() => void askIfByHand(travel.undo)}>{t.undo}</Button>}
        {info?.canRedo && owner && <Button icon={<Redo2 size={14} />} busy={travelling} onClick={() => void askIfByHand(travel.redo)}>{t.redo}</Button>}
      </header>
      {info?.returning && <p role="status" className="flex items-center gap-2 px-4 pt-3 text-run"><Mark tone="run" live />{t.returning}</p>}
      {!owner ? (
        <p className="p-4 text-soft">{t.readOnly}</p>
      ) : hidden ? (
        <p className="p-4 text-soft">{t.hiddenHere}</p>
      ) : place && !place.messageId ? (
        <p className="p-4 text-soft">{t.nothingBefore}</p>
      ) : preview.error !== undefined ? (
        <div className="p-4"><ErrorNote error={preview.error} retry={again} /></div>
      ) : !p || !place ? (
        <Loading label={t.loadingPreview} />
      ) : (
        <>
          <div className={cx("flex flex-col gap-3 px-4 py-3", stale && "opacity-60")} aria-busy={stale} data-preview={stale ? undefined : p.from_message_id}>
            {place.exact && <Segmented label={t.where} value={keep ? "keep" : "before"} onChange={(v) => setKept(v === "keep")} options={[{ id: "before", name: t.beforeMessage }, { id: "keep", name: t.keepMessage }]} />}
            <Summary preview={p} />
            {preview.byHand.length > 0 && (
              <div className="rounded border border-ask/50 bg-ask-wash px-3 py-1.5">
                <p className="font-medium text-ask">{t.byHand(preview.byHand.length)}</p>
                <p className="font-mono text-sm break-all">{preview.byHand.slice(0, 5).map((f) => f.paths.relative).join(", ")}{preview.byHand.length > 5 && ` ${t.andMore(preview.byHand.length - 5)}`}</p>
                <Switch checked={overwrite} onChange={setOverwrite} label={t.overwrite} hint={t.overwriteHint} />
              </div>
            )}
            <div className="flex flex-wrap gap-2">
              <Button look="main" busy={busy} disabled={noFiles || guarded} onClick={() => void unlessByHand(() => travel.rewind(place.messageId!, keep, true))}>{t.both}</Button>
              <Button busy={busy} onClick={() => void travel.rewind(place.messageId!, keep, false)}>{t.talk}</Button>
              <Button busy={busy} disabled={noFiles || guarded} onClick={() => void unlessByHand(() => travel.restoreFiles(p.checkpoint_id!))}>{t.files}</Button>
              <Button icon={<GitFork size={14} />} className="md:ml-auto" busy={stale} onClick={() => setForking(true)}>{t.fork}…</Button>
            </div>
          </div>
          {p.files && p.files.length > 0 && (
            <div className="flex flex-col border-t border-line max-md:h-96 md:min-h-64 md:flex-1"><DiffView key={p.checkpoint_id} files={p.files} total={p.files_count} narrow={narrow} /></div>
          )}
        </>
      )}
      {forking && place?.messageId && <ForkDialog session={session} messageId={place.messageId} keep={keep} onClose={() => setForking(false)} />}
      {asking && (
        <Dialog
          open
          onClose={() => setAsking(null)}
          title={t.byHand(asking.files)}
          footer={<Button look="main" onClick={() => { setAsking(null); asking.go(); }}>{t.goOn}</Button>}
        >
          <p>{t.askOverwrite}</p>
        </Dialog>
      )}
    </section>
  );
}
