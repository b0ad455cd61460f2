import type { Session } from "@clew-run/client";
import { useConnection, useSnapshot } from "@clew-run/client/react";
import { ArrowLeft, Clock, LayoutGrid, MonitorUp, MoreHorizontal, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { ConnectionBadge } from "@/app/Connection";
import { Viewers } from "@/features/session/header/Header";
import { useTitle } from "@/features/session/header/useTitle";
import { sessionWords } from "@/features/session/words";
import { useMayChange } from "@/features/windows/desk";
import type { Area } from "@/features/windows/place";
import { useWords } from "@/i18n";
import { useRoomy } from "@/lib/useNarrow";
import { Badge, Button, IconButton, Mark, Menu, type MenuEntry } from "@/ui";
import { MonitorBar } from "./MonitorBar";
import type { MonitorView } from "./monitors";
import { RemoveMonitor } from "./RemoveMonitor";
import { desktopWords } from "./words";

interface Props {
  session: Session;
  monitor: string;
  views: readonly MonitorView[];
  area: Area | null;
  tidy(): void;
}

/** The head of a desktop: which session, who works, the monitors, who is here. */
export function DesktopHead({ session, monitor, views, area, tidy }: Props) {
  const t = useWords(desktopWords);
  const roomy = useRoomy();
  const connection = useConnection(session);
  return (
    <header className="flex h-15 shrink-0 items-center gap-3 border-b border-line pr-4 pl-3">
      <div className="flex min-w-0 flex-1 items-center gap-2.5">
        <BackAndTitle session={session} />
        {roomy && <AtWork session={session} />}
      </div>
      <MonitorBar session={session} monitor={monitor} views={views} area={area} />
      <div className="flex min-w-0 flex-1 items-center justify-end gap-2.5">
        {roomy && <Viewers session={session} />}
        <span className="text-sm">
          <ConnectionBadge connection={connection} onRetry={session.reconnect} />
        </span>
        {roomy ? (
          <Button icon={<LayoutGrid size={15} aria-hidden />} onClick={tidy}>
            {t.tidy}
          </Button>
        ) : (
          <IconButton label={t.tidy} icon={<LayoutGrid size={16} />} onClick={tidy} />
        )}
        <DesktopMenu session={session} monitor={monitor} views={views} />
      </div>
    </header>
  );
}

/** The way back, and which session it is. */
export function BackAndTitle({ session }: { session: Session }) {
  const t = useWords(desktopWords);
  const s = useWords(sessionWords);
  const archived = useSnapshot(session, (x) => x.session?.archived ?? false);
  const title = useTitle(session, archived) ?? s.loading;
  return (
    <>
      <Link
        href={`/s/${session.id}`}
        aria-label={t.back}
        title={t.back}
        className="flex size-(--row) shrink-0 items-center justify-center rounded text-soft hover:bg-hover hover:text-ink"
      >
        <ArrowLeft size={16} aria-hidden />
      </Link>
      <h1 className="min-w-16 truncate text-lg font-semibold" title={title}>
        <span className="sr-only">{t.desktop}: </span>
        {title}
      </h1>
    </>
  );
}

/** How many agents have a turn. */
function AtWork({ session }: { session: Session }) {
  const t = useWords(desktopWords);
  const working = useSnapshot(session, (s) => s.agents.filter((a) => !a.waiting).length);
  return working > 0 ? (
    <span className="shrink-0" data-working={working}>
      <Badge tone="run">
        <Mark tone="run" size={9} live />
        {t.working(working)}
      </Badge>
    </span>
  ) : null;
}

export function DesktopMenu({
  session,
  monitor,
  views,
}: {
  session: Session;
  monitor: string;
  views: readonly MonitorView[];
}) {
  const t = useWords(desktopWords);
  const s = useWords(sessionWords);
  const [, navigate] = useLocation();
  const mayChange = useMayChange(session);
  const [removing, setRemoving] = useState(false);
  const here = views.find((v) => v.id === monitor)!;
  const exists = useSnapshot(session, (x) => x.monitors.some((m) => m.monitor_id === monitor));
  const items: MenuEntry[] = [
    {
      id: "screen",
      label: t.otherScreen,
      icon: <MonitorUp size={14} />,
      run: () => void window.open(`/s/${session.id}/desktop/${monitor}?screen`, "_blank", "noopener"),
    },
    { id: "time", label: s.time, icon: <Clock size={14} />, run: () => navigate(`/s/${session.id}/time`) },
  ];
  if (mayChange && exists && here.number > 1)
    items.push("line", {
      id: "remove",
      label: t.remove,
      icon: <Trash2 size={14} />,
      danger: true,
      run: () => setRemoving(true),
    });
  return (
    <>
      <Menu label={t.more} trigger={<IconButton label={t.more} icon={<MoreHorizontal size={16} />} />} items={items} />
      {removing && <RemoveMonitor session={session} view={here} onClose={() => setRemoving(false)} />}
    </>
  );
}
