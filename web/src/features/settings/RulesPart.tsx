import type { Setting } from "@clew-run/client";
import { Link } from "wouter";
import { client } from "@/app/client";
import { announce, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { useLoaded } from "@/lib/useLoaded";
import { Button, cx, ErrorNote, Loading, Switch } from "@/ui";
import { RuleList } from "./RuleList";
import { rulesWords } from "./rulesWords";

const switches = ["always_allow_read_only", "always_allow_write", "always_allow_execute", "always_allow_fetch", "always_allow_mcp", "always_allow_browser"] as const;
const lists = ["allowed_commands", "denied_commands", "fetch_allow"] as const;

/** What agents of this server may do unasked, in plain words, and how to take it back. */
export function RulesPart() {
  const t = useWords(rulesWords);
  const all = useLoaded("rules", () => client.rest.settings.list());
  const tools = useLoaded("rules-mcp", () => client.rest.mcp.list());
  if (all.error !== undefined) return <ErrorNote error={all.error} retry={all.reload} />;
  if (!all.value) return <Loading />;
  const of = new Map(all.value.settings.map((s) => [s.key, s]));
  const change = async (key: string, value: unknown) => {
    try {
      await client.rest.settings.change({ [key]: value });
      announce(t.saved);
    } catch (e) {
      notifyError(e);
    } finally {
      all.set(await client.rest.settings.list()); // what is shown is what the server has
    }
  };
  const forget = (server: string, tool: string) => void client.rest.mcp.alwaysAllow(server, tool, false).then(tools.reload, notifyError);
  const on = isOn(of.get("auto_approval_enabled"));
  const remembered = tools.value?.mcp_servers.flatMap((s) => (s.tools ?? []).filter((x) => x.always_allow).map((x) => ({ server: s.name, tool: x.name }))) ?? [];
  return (
    <div className="flex flex-col gap-8">
      <section className="flex flex-col gap-1">
        <h2 className="font-semibold">{t.unasked}</h2>
        <p className="text-soft">{t.unaskedHelp}</p>
        <Switch checked={on} label={t.master} hint={t.masterHint} onChange={(v) => void change("auto_approval_enabled", v)} />
        <div className={cx("ml-5 border-l-2 border-line pl-4", !on && "text-soft")} data-rules-on={on}>
          {switches.map((key) => of.has(key) && (
            <Switch key={key} checked={isOn(of.get(key))} label={t.switches[key]} hint={t.hints[key]} onChange={(v) => void change(key, v)} />
          ))}
        </div>
      </section>
      {lists.map((key) => of.has(key) && (
        <RuleList key={key} title={t.lists[key]} help={t.listHelp[key]} placeholder={t.examples[key]} items={linesOf(of.get(key))} onChange={(next) => change(key, next)} />
      ))}
      <section className="flex flex-col gap-2">
        <h2 className="font-semibold">{t.tools}</h2>
        <p className="text-soft">{t.toolsHelp} <Link href="/mcp" className="text-run underline">{t.toolServers}</Link></p>
        {tools.error !== undefined && <ErrorNote error={tools.error} retry={tools.reload} />}
        {tools.value && remembered.length === 0 && <p>{t.noTools}</p>}
        <ul>
          {remembered.map(({ server, tool }) => (
            <li key={`${server}/${tool}`} className="flex items-center gap-3 border-b border-line py-1">
              <span className="min-w-0 flex-1 truncate"><code className="font-mono">{tool}</code> <span className="text-soft">{server}</span></span>
              <Button aria-label={`${t.askAgain}: ${tool}`} onClick={() => forget(server, tool)}>{t.askAgain}</Button>
            </li>
          ))}
        </ul>
      </section>
      <OwnRules />
      <p className="text-soft">{t.inSessions}</p>
    </div>
  );
}

/** What this person had remembered for a folder or for good. */
function OwnRules() {
  const t = useWords(rulesWords);
  const kept = useLoaded("rules-kept", () => client.rest.rules.list());
  const forget = (id: string) => void client.rest.rules.forget(id).then(kept.reload, notifyError);
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold">{t.kept}</h2>
      <p className="text-soft">{t.keptHelp}</p>
      {kept.error !== undefined && <ErrorNote error={kept.error} retry={kept.reload} />}
      {kept.value?.rules.length === 0 && <p>{t.none}</p>}
      <ul>
        {kept.value?.rules.map((r) => (
          <li key={r.id} className="flex items-center gap-3 border-b border-line py-1">
            <span className="min-w-0 flex-1 truncate"><code className="font-mono">{r.pattern ?? r.tool}</code> <span className="text-soft">{r.dir ?? t.everywhere}</span></span>
            <Button aria-label={`${t.askAgain}: ${r.pattern ?? r.tool}`} onClick={() => forget(r.id)}>{t.askAgain}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isOn(s: Setting | undefined): boolean {
  return s?.value === true;
}

function linesOf(s: Setting | undefined): string[] {
  return Array.isArray(s?.value) ? (s.value as string[]) : [];
}
