import type { Bounds, Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Maximize2, MessagesSquare, Minus, MoreHorizontal, Move, X } from "lucide-react";
import { memo, useMemo, useState } from "react";
import type { Note } from "@/features/session/transcript/notes";
import type { Scope } from "@/features/session/transcript/scope";
import { Transcript } from "@/features/session/transcript/Transcript";
import { bringToFront, putAside, useLayout } from "@/features/windows/desk";
import type { Area } from "@/features/windows/place";
import { WindowBox } from "@/features/windows/WindowBox";
import { useWords } from "@/i18n";
import { IconButton, Menu, type MenuEntry } from "@/ui";
import { placeTranscript, transcriptId } from "./layout";
import { desktopWords } from "./words";

interface Props {
  session: Session;
  monitor: string;
  notes: readonly Note[];
  area: Area;
  place: Bounds;
  rank: number;
  first: boolean;
  hidden: boolean;
}

/** The conversation of a monitor as one more window. It is this person's own: nobody else sees where it lies. */
export function TranscriptWindow({ session, monitor, notes, area, place, rank, first, hidden }: Props) {
  const t = useWords(desktopWords);
  const layout = useLayout();
  const { scope, choices } = useScope(session, monitor);
  const aside = () => putAside(session, transcriptId);
  return (
    <WindowBox
      id={transcriptId}
      title={t.transcript}
      icon={<MessagesSquare size={15} />}
      area={area}
      place={place}
      rank={rank}
      first={first}
      hidden={hidden}
      onFront={() => bringToFront(session, transcriptId)}
      onPlace={(_, bounds) => placeTranscript(layout, bounds)}
      actions={(start) => (
        <>
          <Menu
            label={t.menuTranscript}
            trigger={<IconButton label={t.menuTranscript} icon={<MoreHorizontal size={15} />} data-window-menu />}
            items={[
              { id: "move", label: t.move, icon: <Move size={14} />, run: () => start("move") },
              { id: "resize", label: t.resize, icon: <Maximize2 size={14} />, run: () => start("resize") },
              { id: "hide", label: t.hide, icon: <Minus size={14} />, run: aside },
              ...choices,
            ]}
          />
          <IconButton label={t.closeTranscript} icon={<X size={15} />} onClick={aside} />
        </>
      )}
    >
      <MonitorTranscript key={monitor} session={session} notes={notes} scope={scope} />
    </WindowBox>
  );
}

/** The conversation itself, for a window or a phone. */
export const MonitorTranscript = memo(function MonitorTranscript({
  session,
  notes,
  scope,
}: {
  session: Session;
  notes: readonly Note[];
  scope: Scope;
}) {
  return (
    <div className="@container flex size-full flex-col bg-sheet [--color-paper:var(--color-sheet)]">
      <Transcript session={session} notes={notes} scope={scope} />
    </div>
  );
});

/** Whose words are shown, and the entries of a menu that choose it. */
export function useScope(session: Session, monitor: string): { scope: Scope; choices: MenuEntry[] } {
  const t = useWords(desktopWords);
  const [agent, setAgent] = useState("");
  const tasks = useSnapshot(session, (s) => s.tasks);
  const others = useMemo(
    () => tasks.filter((k) => k.monitor_id === monitor && (k.agent_kind === "task" || k.agent_kind === "window")),
    [tasks, monitor],
  );
  const helpers = useMemo(
    () => tasks.some((k) => k.monitor_id === monitor && k.agent_kind === "ephemeral"),
    [tasks, monitor],
  );
  const chosen =
    agent === "main" || (agent === "ephemeral" && helpers) || others.some((k) => k.task_id === agent) ? agent : "";
  const scope = useMemo(() => ({ monitor, agent: chosen }), [monitor, chosen]);
  if (others.length === 0 && !helpers) return { scope, choices: [] };
  const entry = (id: string, label: string) => ({
    id: `agent:${id}`,
    label,
    checked: chosen === id,
    run: () => setAgent(id),
  });
  return {
    scope,
    choices: [
      "line",
      { heading: t.show },
      entry("", t.everyone),
      entry("main", t.main),
      ...(helpers ? [entry("ephemeral", t.helpers)] : []),
      ...others.map((k) => entry(k.task_id, k.text || (k.agent_kind === "window" ? t.windowAgent : t.taskAgent))),
    ],
  };
}
