import type { SessionSummary } from "@clew-run/client";
import { useState, type FormEvent } from "react";
import { client } from "@/app/client";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { Button, Dialog, ErrorNote, Field, TextInput } from "@/ui";
import { confirmed } from "./confirmed";
import { historyWords } from "./words";

export function RenameDialog({
  session: s,
  onClose,
  onDone,
}: {
  session: SessionSummary;
  onClose(): void;
  onDone(): void;
}) {
  const t = useWords(historyWords);
  const [title, setTitle] = useState(s.title);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const rename = async (e: FormEvent) => {
    e.preventDefault();
    if (busy || title.trim() === "") return;
    setBusy(true);
    try {
      confirmed(
        s.session_id,
        await client.rest.sessions.command(s.session_id, "rename_session", { title: title.trim() }),
        { title: title.trim() },
      );
      announce(t.renamed);
      onDone();
      onClose();
    } catch (e) {
      setError(e);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.renameTitle}
      footer={
        <Button look="main" type="submit" form="rename-session" busy={busy} disabled={title.trim() === ""}>
          {t.save}
        </Button>
      }
    >
      <form id="rename-session" className="flex flex-col gap-3" onSubmit={(e) => void rename(e)}>
        <Field label={t.newTitle}>
          {(p) => (
            <TextInput {...p} autoFocus maxLength={200} value={title} onChange={(e) => setTitle(e.target.value)} />
          )}
        </Field>
        {error !== undefined && <ErrorNote error={error} />}
      </form>
    </Dialog>
  );
}
