import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { AppWindow, MonitorPlay } from "lucide-react";
import { useMemo, useRef } from "react";
import { useCommands } from "@/app/commands";
import { announce } from "@/app/notices";
import { Composer } from "@/features/session/composer/Composer";
import type { Note } from "@/features/session/transcript/notes";
import { bringToFront, hold, keepPlaces, useDesk, useLayout, useMayChange } from "@/features/windows/desk";
import { focusOn, useArea, useFocusStays } from "@/features/windows/Desk";
import { Window } from "@/features/windows/Window";
import { useWords } from "@/i18n";
import { Empty } from "@/ui";
import { AgentsRow } from "./AgentsRow";
import { AsideMenu } from "./AsideMenu";
import { DesktopHead } from "./DesktopHead";
import {
  placeTranscript,
  transcriptId,
  transcriptPlace,
  transcriptWidth,
  useTranscriptPlace,
  windowPlaces,
} from "./layout";
import { monitorOf, useMonitorViews } from "./monitors";
import { placesOf } from "./places";
import { TranscriptWindow } from "./TranscriptWindow";
import { desktopWords } from "./words";

export interface DesktopProps {
  session: Session;
  monitor: string;
  notes: readonly Note[];
}

const dots = "bg-sunk bg-[radial-gradient(circle_at_1px_1px,var(--color-line)_1px,transparent_0)] bg-size-[24px_24px]";

/** The desktop where there is room for windows beside each other. */
export function WideDesktop({ session, monitor, notes }: DesktopProps) {
  const t = useWords(desktopWords);
  const desk = useRef<HTMLDivElement>(null);
  const area = useArea(desk);
  const layout = useLayout();
  const mayChange = useMayChange(session);
  const views = useMonitorViews(session, monitor);
  const windows = useSnapshot(session, (s) => s.windows);
  const here = useMemo(() => windows.filter((w) => monitorOf(w) === monitor), [windows, monitor]);
  const { front, aside, held } = useDesk(session);
  const kept = useTranscriptPlace((s) => s[layout]);
  const transcript = !aside.has(transcriptId);
  const places = area && placesOf(here, area, layout, held, transcript && !kept);

  const order = [...here.map((w) => w.window_id), transcriptId]
    .map((id, i) => ({ id, at: front.indexOf(id), i }))
    .sort((a, b) => a.at - b.at || a.i - b.i)
    .map((o) => o.id);
  const first = order.findLast((id) => !aside.has(id));
  const steady = [...here].sort((a, b) => (a.window_id < b.window_id ? -1 : 1)); // a frame that is moved in the page starts anew
  const shown = order.filter((id) => !aside.has(id));
  const focus = useFocusStays(desk, [...shown].sort().join());

  const next = shown[0] ?? order[0]!;
  useCommands(
    useMemo(
      () => [
        {
          id: "window-next",
          title: t.nextWindow,
          group: t.view,
          keys: "w",
          otherKeys: "F6",
          run: () => {
            bringToFront(session, next);
            focusOn(next);
          },
        },
      ],
      [next, session, t],
    ),
  );

  const tidy = () => {
    if (!area) return;
    placeTranscript(layout, undefined);
    const lie = here.filter((w) => !aside.has(w.window_id));
    const slots = windowPlaces(lie.length, area, transcript);
    const tidied = new Map(lie.map((w, i) => [w.window_id, slots[i]!]));
    if (mayChange && lie.length > 0) void keepPlaces(session, layout, "resize", tidied);
    else hold(session, layout, tidied); // for those who watch, their own view
    announce(t.tidied);
  };
  const fresh = here.length === 0 && monitor !== views[0]!.id && !views.find((v) => v.id === monitor)!.busy;
  return (
    <>
      <DesktopHead session={session} monitor={monitor} views={views} area={area} tidy={tidy} />
      <div className={`relative flex min-h-0 flex-1 flex-col ${dots}`}>
        <div ref={desk} data-desk={monitor} {...focus} className="relative min-h-0 flex-1 overflow-hidden">
          {area && here.length === 0 && (
            <div
              className="absolute inset-y-0 left-0 flex items-center"
              style={{ right: transcript && !kept ? area.w - transcriptPlace(area).x : 0 }}
            >
              <Empty
                icon={fresh ? <MonitorPlay size={22} /> : <AppWindow size={22} />}
                title={fresh ? t.newMonitor : t.none}
              >
                {fresh ? t.newMonitorHelp : t.noneHelp}
              </Empty>
            </div>
          )}
          {area &&
            places &&
            steady.map((w) => (
              <Window
                key={w.window_id}
                session={session}
                window={w}
                area={area}
                place={places.get(w.window_id)!}
                rank={order.indexOf(w.window_id) + 1}
                first={w.window_id === first}
              />
            ))}
          {area && (
            <TranscriptWindow
              session={session}
              monitor={monitor}
              notes={notes}
              area={area}
              place={kept ?? transcriptPlace(area)}
              rank={order.indexOf(transcriptId) + 1}
              first={first === transcriptId}
              hidden={!transcript}
            />
          )}
        </div>
        <div className="flex shrink-0 items-end gap-3 px-5 pb-4">
          <AsideMenu session={session} windows={here} transcript={transcript} />
          <AgentsRow session={session} monitor={monitor} views={views} />
          {/* What grows here lies over the windows and moves none of them. */}
          <div className="relative z-10 h-11.5 shrink-0" style={{ width: area ? transcriptWidth(area) : 384 }}>
            <div className="absolute inset-x-0 bottom-0">
              <Composer session={session} choices={undefined} monitor={monitor} />
            </div>
          </div>
        </div>
      </div>
    </>
  );
}
