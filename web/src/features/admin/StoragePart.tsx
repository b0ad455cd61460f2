import type { DiskQuota } from "@clew-run/client";
import { useMe } from "@/app/account";
import { client } from "@/app/client";
import { useWords } from "@/i18n";
import { bytes } from "@/lib/format";
import { useLoaded } from "@/lib/useLoaded";
import { Ago, Badge, CopyButton, ErrorNote, Loading, Mark, Progress } from "@/ui";
import { Group, Part, Row } from "@/features/settings/Layout";
import { SettingRows } from "@/features/settings/SettingRow";
import { useServerSettings } from "@/features/settings/useServerSettings";
import { settingsWords } from "@/features/settings/words";
import { adminWords } from "./words";

const quotas = [
  "workspace_quota_mb",
  "blob_quota_mb",
  "checkpoint_quota_mb",
  "checkpoint_max_file_mb",
  "checkpoints_enabled",
];
const retention = ["erase_after_days", "retention_days", "retention_days_by_user", "checkpoint_retention_days"];

/** How the server stands: its health, what is on its disk, its backup, and what it keeps for how long. */
export function StoragePart() {
  const t = useWords(adminWords);
  const s = useWords(settingsWords);
  const settings = useServerSettings();
  return (
    <Part title={s.sections.storage} help={t.storageHelp}>
      <Health />
      <OwnSpace />
      {settings.error !== undefined && <ErrorNote error={settings.error} retry={settings.reload} />}
      {!settings.value && settings.error === undefined && <Loading />}
      {settings.value && (
        <Group title={t.limits}>
          <SettingRows settings={settings.value} keys={quotas} />
        </Group>
      )}
      {settings.value && (
        <Group title={t.retention}>
          <SettingRows settings={settings.value} keys={retention} />
        </Group>
      )}
      <Backup />
    </Part>
  );
}

function Health() {
  const t = useWords(adminWords);
  const me = useMe();
  const ready = useLoaded("ready", async (signal) => (await fetch("/readyz", { signal })).ok);
  return (
    <Group title={t.health}>
      <Row
        title={t.server}
        tag={
          ready.value !== undefined && (
            <Badge tone={ready.value ? "run" : "fail"}>
              <Mark tone={ready.value ? "done" : "fail"} size={9} />
              {ready.value ? t.ready : t.notReady}
            </Badge>
          )
        }
      >
        {t.version} <span className="font-mono">{me?.version}</span>
      </Row>
    </Group>
  );
}

function OwnSpace() {
  const t = useWords(adminWords);
  const disk = useLoaded("disk", () => client.rest.disk());
  return (
    <Group title={t.space}>
      {disk.error !== undefined && <ErrorNote error={disk.error} retry={disk.reload} />}
      {!disk.value && disk.loading && <Loading />}
      {disk.value &&
        (["workspaces", "blobs", "checkpoints"] as const).map((kind) => (
          <Space key={kind} name={t.spaces[kind]} used={disk.value![kind]} />
        ))}
    </Group>
  );
}

function Space({ name, used }: { name: string; used: DiskQuota }) {
  const t = useWords(adminWords);
  const limited = used.quota_bytes > 0;
  return (
    <Row
      title={name}
      below={
        limited && (
          <div className="pt-2">
            <Progress done={Math.min(used.bytes, used.quota_bytes)} total={used.quota_bytes} label={name} />
          </div>
        )
      }
    >
      {limited ? t.usedOf(bytes(used.bytes), bytes(used.quota_bytes)) : t.used(bytes(used.bytes))}
    </Row>
  );
}

const command = "clew backup /path/to/backup --check";

function Backup() {
  const t = useWords(adminWords);
  const backup = useLoaded("backup", () => client.rest.backup());
  const b = backup.value;
  return (
    <Group title={t.backup} help={t.backupHelp}>
      {backup.error !== undefined && <ErrorNote error={backup.error} retry={backup.reload} />}
      {!b && backup.loading && <Loading />}
      {b && (
        <Row
          title={
            b.running ? (
              t.backupRunning
            ) : b.ended_ms && !b.problem ? (
              <>
                {t.lastBackup} <Ago ms={b.ended_ms} />
              </>
            ) : b.problem ? (
              t.backupFailed
            ) : (
              t.noBackup
            )
          }
          tag={
            b.problem && (
              <Badge tone="fail">
                <Mark tone="fail" size={9} />
                {t.failed}
              </Badge>
            )
          }
        >
          {b.to && <code className="font-mono wrap-anywhere">{b.to}</code>}
          {b.problem && <p className="text-fail">{b.problem}</p>}
        </Row>
      )}
      <div className="flex items-center gap-2 py-1.5 pr-2 pl-3.5">
        <code className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">{command}</code>
        <CopyButton text={command} label={t.copyCommand} />
      </div>
    </Group>
  );
}
