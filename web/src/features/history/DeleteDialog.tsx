import type { DeletionPreview } from "@clew-run/client";
import { useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { fullTime } from "@/lib/format";
import { useLoaded } from "@/lib/useLoaded";
import { Button, Dialog, ErrorNote, Loading } from "@/ui";
import { deleteSession } from "./delete";
import { historyWords } from "./words";

/** Says what deleting a session erases, what stays, and until when it can be undone, before it is done. */
export function DeleteDialog({
  sessionId,
  title,
  onClose,
  onChange,
}: {
  sessionId: string;
  title: string;
  onClose(): void;
  /** It is deleted now, or back again. */
  onChange(deleted: boolean): void;
}) {
  const t = useWords(historyWords);
  const preview = useLoaded(sessionId, () => client.rest.sessions.deletion(sessionId));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const act = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await deleteSession(sessionId, title, onChange);
      onClose();
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.deleteTitle(title)}
      footer={
        <>
          <Button onClick={onClose}>{t.keep}</Button>
          <Button look="danger" busy={busy} disabled={!preview.value} onClick={() => void act()}>
            {t.deleteNow}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {preview.error !== undefined && <ErrorNote error={preview.error} retry={preview.reload} />}
        {preview.value ? <Consequences preview={preview.value} /> : preview.error === undefined && <Loading />}
        {error !== undefined && <ErrorNote error={error} />}
      </div>
    </Dialog>
  );
}

function Consequences({ preview: p }: { preview: DeletionPreview }) {
  const t = useWords(historyWords);
  const soon = p.erase_ms <= Date.now();
  return (
    <>
      <div>
        <p>{t.deleteErases}</p>
        <ul className="list-disc pl-5">
          <li>{t.deleteRecords(p.records)}</li>
          {!!p.questions && <li>{t.deleteQuestions(p.questions)}</li>}
          {!!p.checkpoints && <li>{t.deleteCheckpoints(p.checkpoints)}</li>}
          {p.directory_erased && <li>{t.deleteDirectory}</li>}
        </ul>
      </div>
      <div>
        <p>{t.deleteKeeps}</p>
        <ul className="list-disc pl-5">
          {p.directory && !p.directory_erased && (
            <li>
              {t.keepsFiles} <span className="font-mono break-all">{p.directory}</span>
            </li>
          )}
          {p.forks.map((f) => (
            <li key={f.session_id}>
              {t.keepsFork} <span className="font-mono break-all">{f.session_id}</span>
            </li>
          ))}
          <li>{t.keepsBackups}</li>
        </ul>
      </div>
      <p className={soon ? "text-fail" : undefined}>
        {soon ? t.deleteForGood : `${t.deleteUntil} ${fullTime(p.erase_ms)}`}
      </p>
    </>
  );
}
