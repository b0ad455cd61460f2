import type { RunView } from "@clew-run/client";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote } from "@/ui";
import { PlanEditor } from "./PlanEditor";
import type { Controls } from "./useControls";
import { useDraft } from "./useDraft";
import { planWords } from "./words";

/** Changes a plan outside of its review. It names the version, so a plan that changed meanwhile is not overwritten. */
export function EditPlanDialog({ run, controls, onClose }: { run: RunView; controls: Controls; onClose(): void }) {
  const t = useWords(planWords);
  const version = run.plan?.version ?? 1;
  const { draft, set, clear, changes, carried } = useDraft(run.plan?.id ?? run.run_id, version, run.todos);
  const count = changes.modifications.length; // comments are for a review
  const busy = controls.pending.has("edit");
  const send = async () => {
    const done = await controls.run("edit", "edit_plan", {
      modifications: changes.modifications,
      version,
      monitor_id: run.monitor_id,
    });
    if (!done) return;
    clear();
    onClose();
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t.editTitle(version)}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button look="main" busy={busy} disabled={count === 0} onClick={() => void send()}>
            {busy ? t.sendingEdit : t.sendEdit(count)}
          </Button>
        </>
      }
    >
      <p className="pb-2 text-soft">{t.editHelp}</p>
      {carried && <p className="pb-2 text-ask">{t.editCarried(version)}</p>}
      {controls.problem !== null && (
        <div className="pb-2">
          <ErrorNote error={controls.problem} />
        </div>
      )}
      <PlanEditor draft={draft} onChange={set} readOnly={busy} comments={false} />
    </Dialog>
  );
}
