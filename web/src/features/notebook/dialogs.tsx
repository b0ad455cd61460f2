import type { NotebookInfo } from "@clew-run/client";
import { useState, type FormEvent } from "react";
import { useWords } from "@/i18n";
import { Button, Dialog, Field, TextInput } from "@/ui";
import type { Book } from "./book";
import { notebookWords } from "./words";

/** Asks before a kernel loses what it knows. */
export function RestartDialog({ book, onClose }: { book: Book; onClose(): void }) {
  const t = useWords(notebookWords);
  const go = (thenRun: boolean) => {
    void book.restart(thenRun);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.restartTitle}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button onClick={() => go(true)}>{t.restartRun}</Button>
          <Button look="main" onClick={() => go(false)}>
            {t.restart}
          </Button>
        </>
      }
    >
      <p>{t.restartHelp}</p>
    </Dialog>
  );
}

export function CloseDialog({ book, onClose, onClosed }: { book: Book; onClose(): void; onClosed(): void }) {
  const t = useWords(notebookWords);
  const go = () => {
    onClose();
    void book.close().then(onClosed);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.closeTitle}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="danger" onClick={go}>
            {t.close}
          </Button>
        </>
      }
    >
      <p>{t.closeHelp}</p>
    </Dialog>
  );
}

export function SaveAsDialog({ book, notebook, onClose }: { book: Book; notebook: NotebookInfo; onClose(): void }) {
  const t = useWords(notebookWords);
  const [path, setPath] = useState(notebook.path || t.untitledName);
  const go = (e?: FormEvent) => {
    e?.preventDefault();
    if (path.trim() === "") return;
    void book.save({ path: path.trim() });
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.saveTitle}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="main" disabled={path.trim() === ""} onClick={() => go()}>
            {t.save}
          </Button>
        </>
      }
    >
      <form onSubmit={go}>
        <Field label={t.path} hint={t.pathHelp}>
          {(f) => <TextInput {...f} value={path} onChange={(e) => setPath(e.target.value)} autoFocus />}
        </Field>
      </form>
    </Dialog>
  );
}
