import type { McpServer } from "@clew-run/client";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { client } from "@/app/client";
import { notify, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Badge, Button, Dialog, ErrorNote, IconButton, Loading, Mark, Menu, Pre, Switch, Toggle } from "@/ui";
import { Row } from "@/features/settings/Layout";
import { mcpWords } from "./words";

/** A tool server: how it stands, why it failed, its tools, and what one does with it. */
export function ServerRow({
  server: s,
  url,
  closed,
  reload,
  onEdit,
}: {
  server: McpServer;
  url?: string;
  closed: boolean;
  reload(): void;
  onEdit(): void;
}) {
  const t = useWords(mcpWords);
  const [open, setOpen] = useState<"log" | "remove" | null>(null);
  const [testing, setTesting] = useState(false);
  const act = (work: Promise<unknown>) => void work.then(reload, notifyError);
  const test = async () => {
    setTesting(true);
    try {
      const tried = await client.rest.mcp.test(s.name);
      notify(
        tried.ok
          ? { tone: "run", text: t.works((tried.latency_ms / 1000).toFixed(1), tried.tools.length) }
          : { tone: "fail", text: `${t.testFailed} ${tried.error}` },
      );
    } catch (e) {
      notifyError(e);
    } finally {
      setTesting(false);
      reload();
    }
  };
  const id = `server-${s.name}`;
  return (
    <section aria-label={s.name}>
      <Row
        title={<span id={id}>{s.name}</span>}
        tag={<State server={s} />}
        actions={
          <>
            <span id={`${id}-use`} className="sr-only">
              {t.enabled(s.name)}
            </span>
            <span className="px-2">
              <Toggle
                aria-labelledby={`${id}-use`}
                checked={!s.disabled}
                onChange={(on) => act(client.rest.mcp.enable(s.name, on))}
              />
            </span>
            <Button busy={testing} aria-label={`${t.test}: ${s.name}`} onClick={() => void test()}>
              {testing ? t.testing : t.test}
            </Button>
            <Button disabled={closed} aria-label={`${t.change}: ${s.name}`} onClick={onEdit}>
              {t.change}
            </Button>
            <Menu
              label={`${t.more}: ${s.name}`}
              trigger={<IconButton label={`${t.more}: ${s.name}`} icon={<Ellipsis size={16} />} />}
              items={[
                {
                  id: "restart",
                  label: t.restart,
                  disabled: s.disabled,
                  run: () => act(client.rest.mcp.restart(s.name)),
                },
                { id: "log", label: t.log, run: () => setOpen("log") },
                "line",
                { id: "remove", label: t.remove, danger: true, run: () => setOpen("remove") },
              ]}
            />
          </>
        }
        below={
          <>
            {s.error && (
              <div className="pt-2">
                <Pre label={t.status.failed!} className="wrap-anywhere whitespace-pre-wrap text-fail">
                  {s.error}
                </Pre>
              </div>
            )}
            {!!s.tools?.length && <Tools server={s} act={act} />}
          </>
        }
      />
      {open === "log" && <LogDialog name={s.name} url={url} onClose={() => setOpen(null)} />}
      <Dialog
        open={open === "remove"}
        onClose={() => setOpen(null)}
        title={t.confirmRemove(s.name)}
        footer={
          <Button
            look="danger"
            onClick={() => {
              setOpen(null);
              act(client.rest.mcp.remove(s.name));
            }}
          >
            {t.remove}
          </Button>
        }
      >
        <p>{t.removeHelp}</p>
      </Dialog>
    </section>
  );
}

function State({ server: s }: { server: McpServer }) {
  const t = useWords(mcpWords);
  const name = t.status[s.status] ?? s.status;
  if (s.status === "connected")
    return (
      <Badge tone="run">
        <Mark tone="done" size={9} />
        {name}
      </Badge>
    );
  if (s.status === "failed")
    return (
      <Badge tone="fail">
        <Mark tone="fail" size={9} />
        {name}
      </Badge>
    );
  return <Badge>{name}</Badge>;
}

function Tools({ server: s, act }: { server: McpServer; act(work: Promise<unknown>): void }) {
  const t = useWords(mcpWords);
  return (
    <details className="mt-1">
      <summary className="flex min-h-(--row) w-fit min-w-(--row) items-center rounded text-sm text-run">
        {t.tools(s.tools!.length)}
      </summary>
      <p className="text-sm text-soft">{t.always}</p>
      <ul className="divide-y divide-line">
        {s.tools!.map((tool) => (
          <li key={tool.name} className="flex flex-wrap items-start gap-x-4 py-1.5">
            <div className="min-w-0 flex-1 basis-52">
              <code className="font-mono">{tool.name}</code>
              <p className="line-clamp-2 text-sm text-soft">{tool.description}</p>
            </div>
            <Switch
              checked={!!tool.always_allow}
              label={t.alwaysAllow(tool.name)}
              onChange={(on) => act(client.rest.mcp.alwaysAllow(s.name, tool.name, on))}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}

function LogDialog({ name, url, onClose }: { name: string; url?: string; onClose(): void }) {
  const t = useWords(mcpWords);
  const log = useLoaded(`log ${name}`, () => client.rest.mcp.log(name));
  return (
    <Dialog open wide onClose={onClose} title={t.logTitle(name)}>
      {log.error !== undefined ? (
        <ErrorNote error={log.error} retry={log.reload} />
      ) : !log.value ? (
        <Loading />
      ) : log.value.text === "" ? (
        <p>{url ? t.noLogUrl : t.noLog}</p>
      ) : (
        <Pre label={t.logTitle(name)} className="wrap-anywhere whitespace-pre-wrap">
          {log.value.text}
        </Pre>
      )}
    </Dialog>
  );
}
