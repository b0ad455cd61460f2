import type { McpServer } from "@clew-run/client";
import { Pencil, Plus, RotateCw, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { useAccount } from "@/app/account";
import { client } from "@/app/client";
import { notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, Dialog, Empty, ErrorNote, IconButton, Loading, Mark, PageHead, Pre, Switch, type Tone } from "@/ui";
import { ServerDialog } from "./ServerDialog";
import { mcpWords } from "./words";

const tones: Record<string, Tone> = { connected: "done", connecting: "run", failed: "fail", disabled: "past" };

type Definitions = Record<string, Record<string, unknown>>;

/** Tool servers: how each stands, its tools, and which of them run without a question. */
export function McpPage() {
  const t = useWords(mcpWords);
  const account = useAccount((s) => s.account);
  if (account.state === "in" && account.me.role !== "admin") {
    return (
      <>
        <PageHead title={t.title} />
        <Empty title={t.adminOnly} />
      </>
    );
  }
  return <Servers />;
}

function Servers() {
  const t = useWords(mcpWords);
  const servers = useLoaded("mcp", () => client.rest.mcp.list());
  const settings = useLoaded("mcp-settings", () => client.rest.settings.list());
  const [editing, setEditing] = useState<{ name?: string } | null>(null);
  const setting = settings.value?.settings.find((s) => s.key === "mcp_servers");
  const definitions = (setting?.value ?? {}) as Definitions;
  // Definitions that are not known whole cannot be written back: the others would be lost.
  const closed = !setting || !!setting.hidden;
  const list = servers.value?.mcp_servers ?? [];

  // A server that is on its way is looked at again until it is there or failed.
  const moving = list.some((s) => s.status === "connecting");
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(servers.reload, 1500);
    return () => clearInterval(timer);
  }, [moving, servers.reload]);

  const reload = () => {
    servers.reload();
    settings.reload();
  };
  const change = async (next: Definitions) => {
    await client.rest.settings.change({ mcp_servers: next });
    reload();
  };
  return (
    <>
      <PageHead title={t.title}>
        <Button look="main" icon={<Plus size={14} />} disabled={closed} onClick={() => setEditing({})}>{t.add}</Button>
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-3xl flex-col gap-3 p-4">
          {setting?.hidden && <p className="rounded bg-ask-wash px-3 py-2">{t.hidden}</p>}
          {settings.error !== undefined && <ErrorNote error={settings.error} retry={reload} />}
          {servers.error !== undefined && <ErrorNote error={servers.error} retry={reload} />}
          {!servers.value && servers.loading && <Loading />}
          {servers.value && list.length === 0 && <Empty title={t.empty}>{t.emptyHelp}</Empty>}
          {list.map((s) => (
            <ServerCard
              key={s.name}
              server={s}
              closed={closed}
              reload={reload}
              onEdit={() => setEditing({ name: s.name })}
              onRemove={() => {
                const { [s.name]: _, ...rest } = definitions;
                return change(rest);
              }}
            />
          ))}
        </div>
      </div>
      {editing && (
        <ServerDialog
          name={editing.name}
          definitions={definitions}
          onClose={() => setEditing(null)}
          onSave={change}
        />
      )}
    </>
  );
}

function ServerCard({ server: s, closed, reload, onEdit, onRemove }: { server: McpServer; closed: boolean; reload(): void; onEdit(): void; onRemove(): Promise<void> }) {
  const t = useWords(mcpWords);
  const [asking, setAsking] = useState(false);
  const act = (work: Promise<unknown>) => void work.then(reload, notifyError);
  return (
    <section aria-label={s.name} className="rounded border border-line bg-sheet">
      <header className="flex flex-wrap items-center gap-2 py-1.5 pr-1.5 pl-3">
        <Mark tone={tones[s.status] ?? "wait"} live={s.status === "connecting"} />
        <h2 className="font-semibold">{s.name}</h2>
        <span className="text-sm text-soft">{t.status[s.status] ?? s.status} · {t.tools(s.tools?.length ?? 0)}</span>
        <span className="ml-auto flex items-center">
          <span className="pr-2"><Switch checked={!s.disabled} label={t.enabled(s.name)} onChange={(on) => act(client.rest.mcp.enable(s.name, on))} /></span>
          <IconButton label={`${t.restart}: ${s.name}`} icon={<RotateCw size={14} />} disabled={s.disabled} onClick={() => act(client.rest.mcp.restart(s.name))} />
          <IconButton label={`${t.edit}: ${s.name}`} disabled={closed} icon={<Pencil size={14} />} onClick={onEdit} />
          <IconButton label={`${t.remove}: ${s.name}`} disabled={closed} icon={<Trash2 size={14} />} onClick={() => setAsking(true)} />
        </span>
      </header>
      {s.error && <div className="px-3 pb-2"><Pre label={t.status.failed!} className="wrap-anywhere whitespace-pre-wrap text-fail">{s.error}</Pre></div>}
      {!!s.tools?.length && (
        <details className="border-t border-line">
          <summary className="flex min-h-(--row) items-center px-3 text-soft">{t.tools(s.tools.length)}</summary>
          <p className="px-3 text-sm text-soft">{t.always}</p>
          <ul className="px-3 pb-2">
            {s.tools.map((tool) => (
              <li key={tool.name} className="flex flex-wrap items-start gap-x-4 border-b border-line py-1.5 last:border-0">
                <div className="min-w-0 flex-1 basis-52">
                  <code className="font-mono">{tool.name}</code>
                  <p className="line-clamp-2 text-sm text-soft">{tool.description}</p>
                </div>
                <Switch checked={!!tool.always_allow} label={t.alwaysAllow(tool.name)} onChange={(on) => act(client.rest.mcp.alwaysAllow(s.name, tool.name, on))} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t.confirmRemove(s.name)}
        footer={<Button look="danger" onClick={() => { setAsking(false); act(onRemove()); }}>{t.remove}</Button>}
      >
        <p>{t.removeHelp}</p>
      </Dialog>
    </section>
  );
}
