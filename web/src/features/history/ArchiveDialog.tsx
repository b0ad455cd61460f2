import { useState } from "react";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote } from "@/ui";
import { archive } from "./archive";
import { historyWords } from "./words";

/** Says what putting a session away means before it is done. */
export function ArchiveDialog({
  sessionId,
  title,
  questions,
  onClose,
  onChange,
}: {
  sessionId: string;
  title: string;
  /** How many are open in it. */
  questions: number;
  onClose(): void;
  /** It is archived now, or back again. */
  onChange(archived: boolean): void;
}) {
  const t = useWords(historyWords);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const put = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await archive(sessionId, title, onChange);
      onClose();
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  const works = (error as { code?: string } | undefined)?.code === "SESSION_INVALID_STATE";
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.archiveTitle(title)}
      footer={
        <>
          <Button onClick={onClose}>{t.keep}</Button>
          <Button look="main" busy={busy} onClick={() => void put()}>
            {t.archiveNow}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{t.archiveHelp}</p>
        {questions > 0 && <p className="text-ask">{t.archiveAsks(questions)}</p>}
        {error !== undefined &&
          (works ? (
            <p role="alert" className="text-fail">
              {t.archiveBusy}
            </p>
          ) : (
            <ErrorNote error={error} />
          ))}
      </div>
    </Dialog>
  );
}
