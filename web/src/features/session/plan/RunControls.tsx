import type { RunView } from "@clew-run/client";
import { CircleX, Pause, Pencil, Play } from "lucide-react";
import { useState } from "react";
import { useWords } from "@/i18n";
import { lazyPart } from "@/lib/lazyPart";
import { Button, Dialog, IconButton } from "@/ui";
import { runActions } from "./possible";
import type { Controls } from "./useControls";
import { planWords } from "./words";

const EditPlanDialog = lazyPart(() => import("./EditPlanDialog").then((m) => m.EditPlanDialog), true);

/** What one can do to a run as a whole. */
export function RunControls({ run, controls }: { run: RunView; controls: Controls }) {
  const t = useWords(planWords);
  const can = runActions(run);
  const [open, setOpen] = useState<"edit" | "cancel" | null>(null);
  const at = { monitor_id: run.monitor_id };
  const busy = (name: string) => controls.pending.has(name);
  return (
    <>
      {(can.pause || busy("pause")) && (
        <Button
          icon={<Pause size={14} />}
          busy={busy("pause")}
          onClick={() => void controls.run("pause", "control_pause", at)}
        >
          {busy("pause") ? t.pausing : t.pause}
        </Button>
      )}
      {((can.resume && !busy("pause")) || busy("resume")) && (
        <Button
          look="main"
          icon={<Play size={14} />}
          busy={busy("resume")}
          onClick={() => void controls.run("resume", "control_resume", at)}
        >
          {busy("resume") ? t.resuming : t.resume}
        </Button>
      )}
      {can.edit && <IconButton label={t.editPlan} icon={<Pencil size={14} />} onClick={() => setOpen("edit")} />}
      {can.cancel && !busy("cancel") && (
        <IconButton label={t.cancelRun} icon={<CircleX size={15} />} onClick={() => setOpen("cancel")} />
      )}
      {busy("cancel") && (
        <span role="status" className="text-soft">
          {t.cancelling}
        </span>
      )}
      <Dialog
        open={open === "cancel"}
        onClose={() => setOpen(null)}
        title={t.cancelTitle}
        footer={
          <>
            <Button look="quiet" onClick={() => setOpen(null)}>
              {t.keepRunning}
            </Button>
            <Button
              look="danger"
              onClick={() => {
                setOpen(null);
                void controls.run("cancel", "control_cancel", at);
              }}
            >
              {t.cancelRun}
            </Button>
          </>
        }
      >
        {t.cancelHelp}
      </Dialog>
      {open === "edit" && run.plan && <EditPlanDialog run={run} controls={controls} onClose={() => setOpen(null)} />}
    </>
  );
}
