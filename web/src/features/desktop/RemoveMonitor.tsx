import type { Session } from "@clew-run/client";
import { useState } from "react";
import { useLocation } from "wouter";
import { announce, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, Dialog } from "@/ui";
import type { MonitorView } from "./monitors";
import { desktopWords } from "./words";

/** Asks before a monitor goes, and says what becomes of what is on it. */
export function RemoveMonitor({ session, view, onClose }: { session: Session; view: MonitorView; onClose(): void }) {
  const t = useWords(desktopWords);
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const remove = () => {
    setBusy(true);
    session.send("remove_monitor", { monitor_id: view.id }).then(
      () => {
        onClose();
        announce(t.removed(view.number));
        navigate(`/s/${session.id}/desktop`);
      },
      (e: unknown) => {
        notifyError(e);
        onClose();
      },
    );
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.removeTitle(view.number)}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="danger" busy={busy} onClick={remove}>
            {t.removeIt}
          </Button>
        </>
      }
    >
      <p>{t.removeHelp}</p>
    </Dialog>
  );
}
