import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { isMac, keyNames, useCommands } from "@/app/commands";
import { useDesk, useLayout, useMayChange } from "@/features/windows/desk";
import type { Area } from "@/features/windows/place";
import { useWords } from "@/i18n";
import { clockTime } from "@/lib/format";
import { cx, IconButton, Kbd, Mark } from "@/ui";
import { transcriptId, transcriptPlace, useTranscriptPlace } from "./layout";
import { nextMonitor, type MonitorView } from "./monitors";
import { placesOf } from "./places";
import { desktopWords } from "./words";

interface Props {
  session: Session;
  monitor: string;
  views: readonly MonitorView[];
  area: Area | null;
}

/** The monitors, each with a small picture of what lies on it. The plus goes to one that is new: its first message makes it. */
export function MonitorBar({ session, monitor, views, area }: Props) {
  const t = useWords(desktopWords);
  const [, navigate] = useLocation();
  const mayChange = useMayChange(session);
  const next = nextMonitor(views);
  const ids = views.map((v) => v.id).join(" ");
  useCommands(
    useMemo(
      () =>
        ids.split(" ").map((id) => {
          const n = Number(id.slice("monitor-".length)) + 1;
          return {
            id: `monitor:${n}`,
            title: t.goTo(n),
            group: t.view,
            here: true,
            keys: `Mod+${n}`,
            run: () => navigate(`/s/${session.id}/desktop/${id}`),
          };
        }),
      [ids, session.id, navigate, t],
    ),
  );
  return (
    <nav aria-label={t.monitors} className="flex min-w-0 shrink items-center gap-1 overflow-x-auto p-0.5">
      {views.map((v) => (
        <MonitorTab
          key={v.id}
          session={session}
          view={v}
          current={v.id === monitor}
          area={area}
          many={views.length > 2}
        />
      ))}
      {mayChange && next && (
        <IconButton
          label={t.add}
          icon={<Plus size={16} />}
          onClick={() => navigate(`/s/${session.id}/desktop/${next}`)}
        />
      )}
    </nav>
  );
}

function MonitorTab({
  session,
  view: v,
  current,
  area,
  many,
}: {
  session: Session;
  view: MonitorView;
  current: boolean;
  area: Area | null;
  many: boolean;
}) {
  const t = useWords(desktopWords);
  const keys = keyNames(`Mod+${v.number}`).join(isMac ? "" : " ");
  const name = v.title || t.monitor(v.number);
  const state = v.asks ? (
    <>
      <Mark tone="ask" size={8} />
      {t.needsYou}
    </>
  ) : v.heldUntil ? (
    t.held(clockTime(v.heldUntil))
  ) : v.queued > 0 ? (
    t.queued(v.queued)
  ) : (
    t.windows(v.windows.length)
  );
  return (
    <Link
      href={`/s/${session.id}/desktop/${v.id}`}
      aria-current={current ? "page" : undefined}
      aria-keyshortcuts={`Control+${v.number}`}
      title={v.title ? `${t.monitor(v.number)}: ${v.title}` : name}
      data-monitor={v.id}
      data-busy={v.busy || undefined}
      className={cx(
        "flex shrink-0 items-center gap-2.5 rounded-lg py-1.5 pr-2.5 pl-1.5 -outline-offset-1",
        current ? "bg-sheet shadow-card ring-1 ring-line2" : "hover:bg-hover",
      )}
    >
      <Preview session={session} view={v} area={area} />
      <span
        aria-hidden
        className={cx("flex items-center gap-1 text-sm font-medium lg:hidden", v.asks ? "text-ask" : "text-soft")}
      >
        {v.asks && <Mark tone="ask" size={8} />}
        {v.number}
      </span>
      <span
        className={cx(
          "min-w-0 max-lg:sr-only",
          many ? "max-w-24 min-[1800px]:max-w-48" : "max-w-40 min-[1800px]:max-w-60",
        )}
      >
        <span className={cx("block truncate leading-4.5", current ? "font-semibold" : "font-medium")}>
          <span className="sr-only">{v.title && `${t.monitor(v.number)}: `}</span>
          {name}
        </span>
        <span className={cx("flex items-center gap-1 text-xs whitespace-nowrap", v.asks ? "text-ask" : "text-soft")}>
          {state}
        </span>
      </span>
      <span aria-hidden className={cx("pointer-coarse:hidden max-lg:hidden", many && "max-[1800px]:hidden")}>
        <Kbd>{keys}</Kbd>
      </span>
    </Link>
  );
}

const size = { w: 60, h: 38 };

/** What lies on a monitor, very small: teal where an agent works, amber where one asks. */
function Preview({ session, view, area }: { session: Session; view: MonitorView; area: Area | null }) {
  const layout = useLayout();
  const { held, aside } = useDesk(session);
  const kept = useTranscriptPlace((s) => s[layout]);
  const agents = useSnapshot(session, (s) => s.agents);
  const transcript = !aside.has(transcriptId);
  const windows = view.windows.filter((w) => !aside.has(w.window_id));
  const boxes = area ? [...placesOf(windows, area, layout, held, transcript && !kept)] : [];
  if (area && transcript) boxes.push([transcriptId, kept ?? transcriptPlace(area)]);
  return (
    <span
      aria-hidden
      className="relative shrink-0 overflow-hidden rounded-[5px] bg-sunk ring-1 ring-line2"
      style={{ width: size.w, height: size.h }}
    >
      {boxes.map(([id, b]) => {
        const agent = agents.find((a) =>
          id === transcriptId ? a.kind === "main" && (a.monitor_id ?? "monitor-0") === view.id : a.window_id === id,
        );
        const x = size.w / area!.w;
        const y = size.h / area!.h;
        return (
          <i
            key={id}
            className={cx(
              "absolute rounded-[2px] ring-1",
              agent ? (agent.waiting ? "bg-ask-wash ring-ask" : "bg-run-wash ring-run") : "bg-sheet ring-line2",
            )}
            style={{
              left: b.x * x + 1,
              top: b.y * y + 1,
              width: Math.max(3, b.w * x - 2),
              height: Math.max(3, b.h * y - 2),
            }}
          />
        );
      })}
    </span>
  );
}
