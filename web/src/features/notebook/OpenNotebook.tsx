import type { Session } from "@clew-run/client";
import { FilePlus2, NotebookPen } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useLocation } from "wouter";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useDebounced } from "@/lib/useDebounced";
import { useLoaded } from "@/lib/useLoaded";
import { Button, Dialog, ErrorNote, Field, TextInput } from "@/ui";
import { notebookPath } from "./path";
import { notebookWords } from "./words";

/** The dialog that opens a notebook, from wherever one is in the session. */
export function OpenNotebookDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const t = useWords(notebookWords);
  return (
    <Dialog open onClose={onClose} title={t.openTitle}>
      <OpenForm session={session} onOpened={onClose} />
    </Dialog>
  );
}

/** Files of the workspace to open, a name for a new one, or a notebook without a file. */
export function OpenForm({ session, onOpened }: { session: Session; onOpened?(): void }) {
  const t = useWords(notebookWords);
  const [, navigate] = useLocation();
  const [path, setPath] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const asked = useDebounced(path.trim(), 200);
  const found = useLoaded(`${session.id} ${asked}`, async () =>
    (await client.rest.sessions.files(session.id, { query: asked || ".ipynb", limit: 50 })).files
      .filter((f) => f.path.endsWith(".ipynb"))
      .slice(0, 8),
  );

  const open = async (of: string, fresh: boolean) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const known = session.store.getSnapshot().notebooks;
      const there = of === "" ? undefined : known.find((n) => n.path === of);
      if (!there) await session.send("notebook_open", { ...(of && { path: of }), ...(fresh && { new: true }) });
      const made =
        there ?? session.store.getSnapshot().notebooks.find((n) => !known.some((k) => k.notebook_id === n.notebook_id));
      onOpened?.();
      navigate(notebookPath(session, made?.notebook_id));
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    const name = path.trim();
    if (name !== "") void open(name.endsWith(".ipynb") ? name : `${name}.ipynb`, true);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label={t.path} hint={t.pathHelp}>
        {(f) => (
          <TextInput
            {...f}
            value={path}
            onChange={(e) => setPath(e.target.value)}
            placeholder="analysis.ipynb"
            autoFocus
            autoComplete="off"
          />
        )}
      </Field>
      {(found.value?.length ?? 0) > 0 && (
        <ul aria-label={t.found} className="flex flex-col rounded-lg border border-line bg-sheet p-1">
          {found.value!.map((f) => (
            <li key={f.path}>
              <button
                type="button"
                onClick={() => void open(f.path, false)}
                className="flex min-h-(--row) w-full min-w-0 items-center gap-2 rounded px-2 text-left hover:bg-hover"
              >
                <NotebookPen size={14} aria-hidden className="shrink-0 text-soft" />
                <span className="min-w-0 truncate">{f.path}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button icon={<FilePlus2 size={14} />} busy={busy} onClick={() => void open("", false)}>
          {t.newButton}
        </Button>
        <Button look="main" type="submit" busy={busy} disabled={path.trim() === ""}>
          {t.openButton}
        </Button>
      </div>
    </form>
  );
}
