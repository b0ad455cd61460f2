import { Link } from "wouter";
import { useMe } from "@/app/account";
import { client } from "@/app/client";
import { announce, notifyError } from "@/app/notices";
import { useWords } from "@/i18n";
import { fullTime } from "@/lib/format";
import { useLoaded } from "@/lib/useLoaded";
import { Button, ErrorNote, Loading, Select } from "@/ui";
import { chipWords } from "@/features/chips/words";
import { SwitchRow } from "./AppearancePart";
import { FieldRow, Group, None, Part, Row } from "./Layout";
import { labelWords } from "./labels";
import { RuleList } from "./RuleList";
import { rulesWords } from "./rulesWords";
import { SettingRows } from "./SettingRow";
import { useServerSettings, type ServerSettings } from "./useServerSettings";

const switches = [
  "always_allow_read_only",
  "always_allow_write",
  "always_allow_execute",
  "always_allow_fetch",
  "always_allow_mcp",
  "always_allow_browser",
] as const;
const lists = ["allowed_commands", "denied_commands", "fetch_allow"] as const;

/** What agents may do unasked, in plain words, and how to take it back. */
export function PermissionsPart() {
  const t = useWords(rulesWords);
  const admin = useMe()?.role === "admin";
  return (
    <Part title={t.title} help={admin ? t.help : t.ownHelp}>
      <SavedApprovals />
      {admin && <ServerRules />}
    </Part>
  );
}

/** What this person had remembered for a folder or for good. */
function SavedApprovals() {
  const t = useWords(rulesWords);
  const kept = useLoaded("rules-kept", () => client.rest.rules.list());
  const forget = (id: string) => void client.rest.rules.forget(id).then(kept.reload, notifyError);
  return (
    <Group title={t.kept} help={t.keptHelp} bare>
      {kept.error !== undefined && <ErrorNote error={kept.error} retry={kept.reload} />}
      {!kept.value && kept.loading && <Loading />}
      {kept.value && (
        <ul className="overflow-hidden rounded-lg border border-line2 bg-sheet shadow-card divide-y divide-line">
          {kept.value.rules.length === 0 && (
            <li>
              <None>{t.none}</None>
            </li>
          )}
          {kept.value.rules.map((r) => {
            const what = r.pattern ?? t.toolNames[r.tool] ?? r.tool;
            return (
              <li key={r.id}>
                <Row
                  title={<code className="font-mono font-medium">{what}</code>}
                  actions={
                    <Button aria-label={`${t.removeRule}: ${what}`} onClick={() => forget(r.id)}>
                      {t.removeRule}
                    </Button>
                  }
                >
                  {t.covers(r.tool, r.pattern)} · {r.dir ? <code className="font-mono">{r.dir}</code> : t.everywhere} ·{" "}
                  {fullTime(r.ts)}
                </Row>
              </li>
            );
          })}
        </ul>
      )}
    </Group>
  );
}

function ServerRules() {
  const t = useWords(rulesWords);
  const settings = useServerSettings();
  if (settings.error !== undefined) return <ErrorNote error={settings.error} retry={settings.reload} />;
  if (!settings.value) return <Loading />;
  const server = settings.value;
  const change = async (key: string, value: unknown) => {
    try {
      await server.change({ [key]: value });
      announce(t.saved);
    } catch (e) {
      notifyError(e);
      await server.fresh();
    }
  };
  const preset = String(server.of("permissions")?.value ?? "");
  return (
    <>
      <Group title={t.defaults} help={t.defaultsHelp}>
        <ModeRow settings={server} change={change} />
        <SettingRows settings={server} keys={["permissions"]} />
      </Group>
      <Unasked settings={server} change={change} preset={preset} />
      {lists.map(
        (key) =>
          server.of(key) && (
            <RuleList
              key={key}
              name={key}
              placeholder={t.examples[key]}
              items={linesOf(server.of(key)?.value)}
              onChange={(next) => change(key, next)}
            />
          ),
      )}
      <AllowedTools />
      <Group title={t.stops}>
        <SettingRows settings={server} keys={["auto_approval_max_requests", "mistake_limit", "confirm_completion"]} />
      </Group>
      <p className="pt-4 text-sm text-soft">{t.inSessions}</p>
    </>
  );
}

type Change = (key: string, value: unknown) => Promise<void>;

function ModeRow({ settings, change }: { settings: ServerSettings; change: Change }) {
  const chips = useWords(chipWords);
  const { label, help } = useWords(labelWords).mode;
  const mode = settings.of("mode");
  if (!mode) return null;
  const own = (settings.of("custom_modes")?.value ?? []) as { slug: string; name: string }[];
  const names: [string, string][] = [
    ...Object.entries(chips.modes).filter(([slug]) => !own.some((m) => m.slug === slug)),
    ...own.map((m): [string, string] => [m.slug, m.name]),
  ];
  const value = String(mode.value);
  if (!names.some(([slug]) => slug === value)) names.push([value, value]);
  return (
    <FieldRow
      id="mode"
      label={label}
      name="mode"
      help={chips.modeHelp[value] ?? help}
      control={
        <Select id="mode" aria-describedby="mode-d" value={value} onChange={(e) => void change("mode", e.target.value)}>
          {names.map(([slug, name]) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </Select>
      }
    />
  );
}

function Unasked({ settings, change, preset }: { settings: ServerSettings; change: Change; preset: string }) {
  const t = useWords(rulesWords);
  const label = useWords(labelWords);
  const on = settings.of("auto_approval_enabled")?.value === true;
  return (
    <Group title={t.unasked} help={preset === "" ? t.unaskedHelp : t.presetFirst}>
      <SwitchRow
        label={label.auto_approval_enabled.label}
        name="auto_approval_enabled"
        help={label.auto_approval_enabled.help}
        checked={on}
        onChange={(v) => void change("auto_approval_enabled", v)}
      />
      {switches.map(
        (key) =>
          settings.of(key) && (
            <SwitchRow
              key={key}
              label={label[key].label}
              name={key}
              help={label[key].help}
              checked={settings.of(key)?.value === true}
              disabled={!on}
              onChange={(v) => void change(key, v)}
            />
          ),
      )}
    </Group>
  );
}

function AllowedTools() {
  const t = useWords(rulesWords);
  const tools = useLoaded("rules-mcp", () => client.rest.mcp.list());
  const forget = (server: string, tool: string) =>
    void client.rest.mcp.alwaysAllow(server, tool, false).then(tools.reload, notifyError);
  const allowed =
    tools.value?.mcp_servers.flatMap((s) =>
      (s.tools ?? []).filter((x) => x.always_allow).map((x) => ({ server: s.name, tool: x.name })),
    ) ?? [];
  return (
    <Group
      title={t.tools}
      help={
        <>
          {t.toolsHelp}{" "}
          <Link href="/settings/tools" className="text-run underline">
            {t.toolServers}
          </Link>
        </>
      }
    >
      {tools.error !== undefined && <ErrorNote error={tools.error} retry={tools.reload} />}
      {allowed.length === 0 && <None>{t.noTools}</None>}
      {allowed.map(({ server, tool }) => (
        <Row
          key={`${server}/${tool}`}
          title={<code className="font-mono font-medium">{tool}</code>}
          actions={
            <Button aria-label={`${t.askAgain}: ${tool}`} onClick={() => forget(server, tool)}>
              {t.askAgain}
            </Button>
          }
        >
          {server}
        </Row>
      ))}
    </Group>
  );
}

function linesOf(value: unknown): string[] {
  return Array.isArray(value) ? (value as string[]) : [];
}
