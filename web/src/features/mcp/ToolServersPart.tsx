import type { McpServer, ToolServerForm } from "@clew-run/client";
import { Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, ErrorNote, Loading } from "@/ui";
import { Card, Group, None, Part } from "@/features/settings/Layout";
import { SettingRows } from "@/features/settings/SettingRow";
import { useServerSettings } from "@/features/settings/useServerSettings";
import { settingsWords } from "@/features/settings/words";
import { ServerDialog } from "./ServerDialog";
import { ServerRow } from "./ServerRow";
import { mcpWords } from "./words";

const lookMs = 2_000;

/** The tool servers: their state, their tools, and the form that adds and changes them. */
export function ToolServersPart() {
  const t = useWords(mcpWords);
  const s = useWords(settingsWords);
  const servers = useLoaded("mcp", () => client.rest.mcp.list());
  const settings = useServerSettings();
  const [editing, setEditing] = useState<{ name?: string } | null>(null);
  const list = servers.value?.mcp_servers ?? [];
  useWhileStarting(list, servers.reload);
  const reload = () => {
    servers.reload();
    settings.reload();
  };
  const setting = settings.value?.of("mcp_servers");
  const definitions = (setting?.value ?? {}) as Record<string, ToolServerForm>;
  // Definitions with a secret in them are not shown: who changed one would lose the rest of it.
  const closed = !setting || setting.hidden === true;
  return (
    <Part
      title={s.sections.tools}
      help={t.help}
      action={
        <Button look="main" icon={<Plus size={15} />} onClick={() => setEditing({})}>
          {t.add}
        </Button>
      }
    >
      {setting?.hidden && <p className="mt-4 rounded-lg border border-ask-line bg-ask-wash px-3 py-2">{t.hidden}</p>}
      <Group title={t.list} bare>
        {settings.error !== undefined && <ErrorNote error={settings.error} retry={reload} />}
        {servers.error !== undefined && <ErrorNote error={servers.error} retry={reload} />}
        {!servers.value && servers.loading && <Loading />}
        {servers.value && (
          <Card>
            {list.length === 0 && <None>{t.empty}</None>}
            {list.map((m) => (
              <ServerRow
                key={m.name}
                server={m}
                url={definitions[m.name]?.url}
                closed={closed}
                reload={reload}
                onEdit={() => setEditing({ name: m.name })}
              />
            ))}
          </Card>
        )}
      </Group>
      {settings.value && (
        <Group title={t.general}>
          <SettingRows settings={settings.value} keys={["mcp_enabled"]} />
        </Group>
      )}
      {editing && (
        <ServerDialog
          name={editing.name}
          definition={editing.name ? definitions[editing.name] : undefined}
          taken={list.map((m) => m.name)}
          onClose={() => setEditing(null)}
          onSaved={() => {
            setEditing(null);
            reload();
          }}
        />
      )}
    </Part>
  );
}

/** Looks again while one of them is still starting. */
function useWhileStarting(list: McpServer[], reload: () => void): void {
  const starting = list.some((s) => s.status === "connecting");
  useEffect(() => {
    if (!starting) return;
    const timer = setInterval(reload, lookMs);
    return () => clearInterval(timer);
  }, [starting, reload]);
}
