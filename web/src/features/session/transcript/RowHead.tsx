import type { TranscriptMessage } from "@clew-run/client";
import { useAccount } from "@/app/account";
import { useWords } from "@/i18n";
import { Badge, Time } from "@/ui";
import type { Row } from "./rows";
import { mainMonitor } from "./scope";
import { transcriptWords } from "./words";

/** The name of who speaks in a row. */
export function useSpeaker(row: Row, m: TranscriptMessage | undefined): string {
  const t = useWords(transcriptWords);
  const me = useAccount((s) => (s.account.state === "in" ? s.account.me.user_id : undefined));
  if (row.voice === "user") return !m?.user_id || m.user_id === me ? t.you : m.user_id;
  if (m?.agent_kind === "ephemeral" && row.voice === "agent") return t.helper;
  return row.voice === "sub" ? t.sub : row.voice === "system" ? t.system : t.agent;
}

/** Who speaks, and since when. */
export function RowHead({ row, message, id }: { row: Row; message: TranscriptMessage; id: string }) {
  const t = useWords(transcriptWords);
  const name = useSpeaker(row, message);
  return (
    <h3 id={id} className="mb-1 flex min-h-5 items-center gap-2">
      <span className="font-semibold">{name}</span>
      <Time ms={message.ts} className="text-xs text-faint" />
      {row.voice !== "user" && message.monitor_id && message.monitor_id !== mainMonitor && (
        <span className="text-xs text-faint in-data-desktop:hidden">
          {t.onMonitor(Number(message.monitor_id.slice("monitor-".length)) + 1)}
        </span>
      )}
      {message.delivery === "steer" && <Badge tone="run">{t.steered}</Badge>}
    </h3>
  );
}
