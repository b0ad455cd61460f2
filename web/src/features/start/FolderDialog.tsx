import { CornerLeftUp, Folder, FolderGit2 } from "lucide-react";
import { useEffect, useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Badge, Button, Dialog, ErrorNote, Field, Loading, TextInput } from "@/ui";
import { startWords } from "./words";

/** Walks through the folders of the server's machine to choose one. */
export function FolderDialog({
  from,
  onChoose,
  onClose,
}: {
  from?: string;
  onChoose(path: string): void;
  onClose(): void;
}) {
  const t = useWords(startWords);
  const [at, setAt] = useState(from ?? "");
  const here = useLoaded(at, () => client.rest.folders(at || undefined));
  const [path, setPath] = useState(at);
  useEffect(() => {
    if (here.value) setPath(here.value.path);
  }, [here.value]);
  const list = here.value;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.pickFolder}
      footer={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button look="main" disabled={!list?.usable} onClick={() => list && onChoose(list.path)}>
            {t.useFolder}
          </Button>
        </>
      }
    >
      <form
        className="flex items-end gap-2 pb-3"
        onSubmit={(e) => {
          e.preventDefault();
          setAt(path.trim());
        }}
      >
        <div className="min-w-0 flex-1">
          <Field label={t.path}>
            {(p) => (
              <TextInput
                {...p}
                value={path}
                className="font-mono"
                spellCheck={false}
                autoCapitalize="off"
                onChange={(e) => setPath(e.target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit">{t.open}</Button>
      </form>
      {!list && here.loading && <Loading />}
      {here.error !== undefined && <ErrorNote error={here.error} />}
      {list && (
        <ul aria-label={list.path} className="h-72 overflow-y-auto rounded border border-line p-1">
          {list.parent !== undefined && (
            <Row icon={<CornerLeftUp size={15} />} name={t.up} open={() => setAt(list.parent!)} />
          )}
          {list.folders.map((f) => (
            <Row
              key={f.path}
              icon={f.git ? <FolderGit2 size={15} /> : <Folder size={15} />}
              name={f.name}
              git={f.git}
              open={() => setAt(f.path)}
            />
          ))}
          {list.folders.length === 0 && <li className="px-2 py-1.5 text-soft">{t.noFolders}</li>}
          {list.more && <li className="px-2 py-1.5 text-soft">{t.moreFolders}</li>}
        </ul>
      )}
      {list && !list.usable && <p className="pt-2 text-sm text-soft">{list.why_not}</p>}
    </Dialog>
  );
}

function Row({ icon, name, git, open }: { icon: React.ReactNode; name: string; git?: boolean; open(): void }) {
  const t = useWords(startWords);
  return (
    <li>
      <button
        type="button"
        onClick={open}
        className="flex min-h-(--row) w-full items-center gap-2 rounded-sm px-2 text-left hover:bg-hover"
      >
        <span aria-hidden className="text-soft">
          {icon}
        </span>
        <span className="min-w-0 flex-1 truncate">{name}</span>
        {git && <Badge>{t.git}</Badge>}
      </button>
    </li>
  );
}
