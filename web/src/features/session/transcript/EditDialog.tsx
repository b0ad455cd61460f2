import type { Session, TranscriptMessage } from "@clew-run/client";
import { useState } from "react";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, Dialog, ErrorNote, Field, Switch, TextArea } from "@/ui";
import { Forgotten } from "../Forgotten";
import { transcriptWords } from "./words";

/** Changes a message that was sent: what came after it is taken back, and it is sent anew. */
export function EditDialog({
  session,
  message: m,
  onClose,
}: {
  session: Session;
  message: TranscriptMessage;
  onClose(): void;
}) {
  const t = useWords(transcriptWords);
  const [text, setText] = useState(m.text ?? "");
  const [files, setFiles] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const preview = useLoaded(m.message_id, () =>
    session.query("edit_message", { message_id: m.message_id, text: m.text || " " }, { timeoutMs: 20_000 }),
  );
  const p = preview.value;
  const after = p ? Math.max(0, p.count - 1) : 0; // as people count: without model calls, and without this one
  const send = async () => {
    setBusy(true);
    setError(null);
    try {
      await session.send("edit_message_confirm", {
        message_id: m.message_id,
        text,
        images: m.images,
        restore_checkpoint: files || undefined,
      });
      onClose();
    } catch (e) {
      setError(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.editTitle}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="main" busy={busy} disabled={text.trim() === "" || !p} onClick={() => void send()}>
            {t.editSend}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label={t.editTitle}>
          {(f) => <TextArea {...f} rows={6} value={text} onChange={(e) => setText(e.target.value)} autoFocus />}
        </Field>
        <p className="text-soft">{p ? t.editHelp(after) : preview.error ? null : t.looking}</p>
        {!!p?.forgotten?.length && (
          <p>
            <Forgotten rules={p.forgotten} />
          </p>
        )}
        {p && (p.files_count ?? 0) > 0 && (
          <Switch checked={files} onChange={setFiles} label={t.editFiles(p.files_count ?? 0)} />
        )}
        {(preview.error ?? error) != null && <ErrorNote error={preview.error ?? error} />}
      </div>
    </Dialog>
  );
}
