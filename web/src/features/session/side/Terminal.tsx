import type { Session } from "@clew-run/client";
import { useMessageIds } from "@clew-run/client/react";
import { SquareTerminal } from "lucide-react";
import { useMemo } from "react";
import { useWords } from "@/i18n";
import { AnsiText } from "@/lib/AnsiText";
import { Empty, Pre, Time } from "@/ui";
import { useCalmMessage } from "../transcript/useCalmMessage";
import { sessionWords } from "../words";

const shown = 12;

/** The newest outputs of commands, the last one first; a running one grows. */
export function Terminal({ session }: { session: Session }) {
  const t = useWords(sessionWords);
  const ids = useMessageIds(session);
  const outputs = useMemo(() => newest(session, ids), [session, ids]);
  if (outputs.length === 0)
    return (
      <Empty icon={<SquareTerminal size={22} />} title={t.noCommands}>
        {t.noCommandsHelp}
      </Empty>
    );
  return (
    <ol className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3">
      {outputs.map((o) => (
        <Output key={o.id} session={session} id={o.id} command={o.command} />
      ))}
    </ol>
  );
}

function newest(session: Session, ids: readonly string[]): { id: string; command: string }[] {
  const list: { id: string; call?: string; command: string }[] = [];
  for (let i = ids.length - 1, seen = 0; i >= 0 && seen < 2000; i--, seen++) {
    const m = session.store.message(ids[i]!);
    if (m?.say === "command_output" && list.length < shown)
      list.push({ id: m.message_id, call: m.tool_call_id, command: "" });
    if (m?.ask !== "command") continue;
    const of = list.find((o) => o.call === m.tool_call_id);
    if (of) of.command = m.tool?.command ?? "";
    if (list.length === shown && list.every((o) => o.command !== "")) break;
  }
  return list;
}

function Output({ session, id, command }: { session: Session; id: string; command: string }) {
  const m = useCalmMessage(session, id);
  if (!m) return null;
  return (
    <li>
      <div className="flex items-baseline gap-2 pb-1 font-mono text-sm">
        <span aria-hidden className="text-run">
          $
        </span>
        <span className="min-w-0 flex-1 truncate font-medium" title={command}>
          {command}
        </span>
        <Time ms={m.ts} className="text-xs text-soft" />
      </div>
      <Pre label={command}>
        <AnsiText text={m.text ?? ""} />
      </Pre>
    </li>
  );
}
