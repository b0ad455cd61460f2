import type { Session } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useLayoutEffect, useMemo, useRef, useState, type FocusEvent } from "react";
import { useCommands } from "@/app/commands";
import { useWords } from "@/i18n";
import { bringToFront, inOrder, useDesk } from "./desk";
import { firstPlace, type Area } from "./place";
import { Window } from "./Window";
import { windowWords } from "./words";

/** The windows of the monitor that is looked at, over the session. */
export function Desk({ session }: { session: Session }) {
  const t = useWords(windowWords);
  const desk = useRef<HTMLDivElement>(null);
  const area = useArea(desk);
  const windows = useSnapshot(session, (s) => s.windows);
  const { monitor, front, aside } = useDesk(session);
  const here = windows.filter((w) => (w.monitor_id ?? monitor) === monitor);
  const order = inOrder(here, front).map((w) => w.window_id);
  const first = order.findLast((id) => !aside.has(id));
  // A page in a frame starts anew when its element is moved, so what lies in front is no matter of order here.
  const steady = [...here].sort((a, b) => (a.window_id < b.window_id ? -1 : 1));
  const focus = useFocusStays(
    desk,
    steady
      .filter((w) => !aside.has(w.window_id))
      .map((w) => w.window_id)
      .join(),
  );

  const next = order.find((id) => !aside.has(id)) ?? order[0];
  useCommands(
    useMemo(
      () =>
        next
          ? [
              {
                id: "window-next",
                title: t.next,
                group: t.windows,
                keys: "w",
                otherKeys: "F6",
                run: () => {
                  bringToFront(session, next);
                  focusOn(next);
                },
              },
            ]
          : [],
      [next, session, t],
    ),
  );
  return (
    <div ref={desk} data-desk={monitor} {...focus} className="pointer-events-none relative size-full overflow-hidden">
      {area &&
        steady.map((w) => (
          <Window
            key={w.window_id}
            session={session}
            window={w}
            area={area}
            place={firstPlace(here.indexOf(w), area)}
            rank={order.indexOf(w.window_id) + 1}
            first={w.window_id === first}
          />
        ))}
    </div>
  );
}

export function focusOn(id: string): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-window="${CSS.escape(id)}"] [data-window-menu]`)?.focus(),
  );
}

/** The room that windows have. */
export function useArea(box: React.RefObject<HTMLElement | null>): Area | null {
  const [area, setArea] = useState<Area | null>(null);
  useLayoutEffect(() => {
    const el = box.current!;
    const measure = () => setArea({ w: el.clientWidth, h: el.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(el);
    return () => observer.disconnect();
  }, [box]);
  return area;
}

/** When the window with the focus goes, the focus goes to the next one, the bar, or where one writes. */
export function useFocusStays(box: React.RefObject<HTMLElement | null>, shown: string) {
  const inside = useRef(false);
  useLayoutEffect(() => {
    const at = document.activeElement;
    if (!inside.current || (at && at !== document.body && !at.closest("[data-window][hidden]"))) return;
    inside.current = false;
    const left = [...box.current!.querySelectorAll<HTMLElement>("[data-window]:not([hidden])")].sort(
      (a, b) => Number(b.style.zIndex) - Number(a.style.zIndex),
    );
    const to =
      left[0]?.querySelector<HTMLElement>("[data-window-menu]") ??
      document.querySelector<HTMLElement>("[data-desk-bar] button, main textarea, textarea");
    to?.focus();
  }, [box, shown]);
  return {
    onFocus: () => void (inside.current = true),
    onBlur: (e: FocusEvent) => {
      if (e.relatedTarget && !box.current!.contains(e.relatedTarget)) inside.current = false;
    },
  };
}
