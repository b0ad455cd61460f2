import { useRef, useState } from "react";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, Empty, ErrorNote, Loading, TextInput } from "@/ui";
import { SettingLine } from "./SettingLine";
import { settingsWords } from "./words";

/** The server's settings, all of them, by group, with the layer each value is from. */
export function ServerPart() {
  const t = useWords(settingsWords);
  const [query, setQuery] = useState("");
  const all = useLoaded("settings", () => client.rest.settings.list());
  if (all.error !== undefined) return <ErrorNote error={all.error} retry={all.reload} />;
  if (!all.value) return <Loading />;
  const wanted = query.trim().toLowerCase();
  const shown = all.value.settings.filter((s) => s.group !== "Secrets" && `${s.key} ${s.doc ?? ""} ${s.group ?? ""} ${t.groups[s.group ?? ""] ?? ""}`.toLowerCase().includes(wanted));
  const groups = Map.groupBy(shown, (s) => s.group ?? t.unknown);
  // What is shown is what the server has, and one setting may change others.
  const changed = async () => all.set(await client.rest.settings.list());
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap gap-2">
        <TextInput type="search" aria-label={t.search} placeholder={t.search} className="min-w-40 flex-1" value={query} onChange={(e) => setQuery(e.target.value)} />
        <ExportImport onImported={all.reload} />
      </div>
      {shown.length === 0 && <Empty title={t.nothing} />}
      {[...groups].map(([group, list]) => (
        <section key={group}>
          <h2 className="sticky top-0 z-10 border-b border-line bg-paper py-1.5 font-semibold">{t.groups[group] ?? group}</h2>
          {list.map((s) => <SettingLine key={s.key} setting={s} onChange={changed} />)}
        </section>
      ))}
    </div>
  );
}

function ExportImport({ onImported }: { onImported(): void }) {
  const t = useWords(settingsWords);
  const file = useRef<HTMLInputElement>(null);
  const exportAll = async () => {
    const text = JSON.stringify(await client.rest.settings.export(), null, 2);
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const a = document.createElement("a");
    a.href = url;
    a.download = "clew-settings.json";
    a.click();
    URL.revokeObjectURL(url);
  };
  const importAll = async (chosen: File) => {
    try {
      const { changed } = await client.rest.settings.import(JSON.parse(await chosen.text()) as Record<string, unknown>);
      notify({ tone: "run", text: t.imported(changed.length) });
      onImported();
    } catch (e) {
      notifyError(e instanceof SyntaxError ? new Error(t.notJson) : e);
    }
  };
  return (
    <>
      <Button onClick={() => void exportAll().catch(notifyError)}>{t.exportAll}</Button>
      <input
        ref={file}
        type="file"
        accept="application/json"
        hidden
        onChange={(e) => {
          const chosen = e.target.files?.[0];
          e.target.value = ""; // the same file can be chosen again
          if (chosen) void importAll(chosen);
        }}
      />
      <Button onClick={() => file.current?.click()}>{t.importAll}</Button>
    </>
  );
}
