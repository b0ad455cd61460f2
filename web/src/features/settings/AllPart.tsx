import type { Setting } from "@clew-run/client";
import { useRef } from "react";
import { Link } from "wouter";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { saveAs } from "@/lib/saveAs";
import { Button, ErrorNote, Loading } from "@/ui";
import { groupWords } from "./labels";
import { FieldRow, Group, Part } from "./Layout";
import { SettingRow, useLabel } from "./SettingRow";
import { settingsWords } from "./words";
import { useServerSettings } from "./useServerSettings";

/** The server's settings, all of them, by group. */
export function AllPart() {
  const t = useWords(settingsWords);
  const settings = useServerSettings();
  return (
    <Part title={t.sections.all} help={t.allHelp} action={<ExportImport onImported={settings.reload} />}>
      {settings.error !== undefined ? (
        <ErrorNote error={settings.error} retry={settings.reload} />
      ) : settings.value ? (
        <AllSettings list={settings.value.list} onChange={settings.value.fresh} />
      ) : (
        <Loading />
      )}
    </Part>
  );
}

/** What has a section of its own is edited there. */
const elsewhere: Record<string, "models" | "tools" | "permissions"> = {
  model_profile: "models",
  model_small: "models",
  model_subtasks: "models",
  model_profiles: "models",
  mcp_servers: "tools",
  mode: "permissions",
  kept_rules: "permissions",
};

export function AllSettings({
  list,
  onChange,
  onLeave,
}: {
  list: Setting[];
  onChange(): Promise<void>;
  /** Called when a link to another section is followed. */ onLeave?(): void;
}) {
  const t = useWords(settingsWords);
  const names = useWords(groupWords);
  const groups = Map.groupBy(list, (s) => s.group ?? "");
  return [...groups].map(([group, members]) => (
    <Group key={group} title={names[group] ?? (group || t.unknownGroup)}>
      {members.map((s) =>
        elsewhere[s.key] ? (
          <Elsewhere key={s.key} setting={s} section={elsewhere[s.key]!} onLeave={onLeave} />
        ) : (
          <SettingRow key={s.key} setting={s} onChange={onChange} full />
        ),
      )}
    </Group>
  ));
}

function Elsewhere({
  setting: s,
  section,
  onLeave,
}: {
  setting: Setting;
  section: "models" | "tools" | "permissions";
  onLeave?(): void;
}) {
  const t = useWords(settingsWords);
  const { label, help } = useLabel(s);
  return (
    <FieldRow
      id={s.key}
      label={label}
      name={s.key}
      help={help}
      control={
        <Link
          id={s.key}
          href={`/settings/${section}`}
          onClick={onLeave}
          className="flex min-h-(--row) items-center text-run underline"
        >
          {t.editIn(t.sections[section])}
        </Link>
      }
    />
  );
}

function ExportImport({ onImported }: { onImported(): void }) {
  const t = useWords(settingsWords);
  const file = useRef<HTMLInputElement>(null);
  const exportAll = async () => {
    const text = JSON.stringify(await client.rest.settings.export(), null, 2);
    saveAs(new Blob([text], { type: "application/json" }), "clew-settings.json");
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
    <div className="flex flex-wrap gap-2">
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
    </div>
  );
}
