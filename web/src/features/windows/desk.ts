import type { Bounds, Session, WindowState } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { create } from "zustand";
import { notifyError } from "@/app/notices";
import { useRoomy } from "@/lib/useNarrow";

export const monitors = ["monitor-0", "monitor-1", "monitor-2", "monitor-3"] as const;

/** As people count: the first monitor is 1. */
export function numberOf(monitor: string | undefined): number {
  return Math.max(0, monitors.indexOf((monitor ?? monitors[0]) as (typeof monitors)[number])) + 1;
}

/** The class of device that a place is kept for, so that a laptop does not undo what was laid out on a big screen. */
export type Layout = "wide" | "medium";

export function useLayout(): Layout {
  return useRoomy() ? "wide" : "medium";
}

interface Desk {
  /** The monitor that is looked at. */
  monitor: string;
  /** Windows by when they were last in front, the newest last; each person's own. */
  front: readonly string[];
  /** Put aside by this person. */
  aside: ReadonlySet<string>;
  /** Where this person has them until the server says so, by layout and window. */
  held: ReadonlyMap<string, Bounds>;
}

const empty: Desk = { monitor: monitors[0], front: [], aside: new Set(), held: new Map() };

/** How windows stand before this person; keys are session ids. */
const useDesks = create<Record<string, Desk>>(() => ({}));

export function useDesk(session: Session): Desk {
  return useDesks((s) => s[session.id] ?? empty);
}

function change(session: Session, fn: (d: Desk) => Partial<Desk>): void {
  useDesks.setState((s) => {
    const desk = s[session.id] ?? empty;
    return { [session.id]: { ...desk, ...fn(desk) } };
  });
}

export function bringToFront(session: Session, id: string): void {
  change(session, (d) => {
    if (d.front.at(-1) === id && !d.aside.has(id)) return {};
    return { front: [...d.front.filter((x) => x !== id), id], aside: new Set([...d.aside].filter((x) => x !== id)) };
  });
}

export function putAside(session: Session, id: string): void {
  change(session, (d) => ({ aside: new Set([...d.aside, id]) }));
}

export function lookAt(session: Session, monitor: string): void {
  change(session, () => ({ monitor }));
}

/** The name under which a place is held. */
export function heldAs(layout: Layout, id: string): string {
  return `${layout} ${id}`;
}

export function hold(session: Session, layout: Layout, places: ReadonlyMap<string, Bounds | undefined>): void {
  change(session, (d) => {
    const held = new Map(d.held);
    for (const [id, bounds] of places) {
      if (bounds) held.set(heldAs(layout, id), bounds);
      else held.delete(heldAs(layout, id));
    }
    return { held };
  });
}

/** In the order they lie, the front one last. */
export function inOrder(windows: readonly WindowState[], front: readonly string[]): readonly WindowState[] {
  const rank = (w: WindowState) => front.indexOf(w.window_id);
  return windows
    .map((w, i) => ({ w, i }))
    .sort((a, b) => rank(a.w) - rank(b.w) || a.i - b.i)
    .map(({ w }) => w);
}

/** Whether this person may change what others see. */
export function useMayChange(session: Session): boolean {
  return useSnapshot(session, (s) => s.session?.role === undefined || s.session.role === "owner");
}

/** Tells the server where windows lie in the end, not each step on the way. */
export async function keepPlaces(
  session: Session,
  layout: Layout,
  kind: "move" | "resize",
  places: ReadonlyMap<string, Bounds>,
): Promise<void> {
  hold(session, layout, places); // until a record says where they lie
  const interactions = [...places].map(([window_id, bounds]) => ({ kind, window_id, bounds, layout, ts: Date.now() }));
  if (!(await tell(session.send("user_interaction", { interactions }))))
    hold(session, layout, new Map([...places.keys()].map((id) => [id, undefined])));
}

export async function sendTo(session: Session, w: WindowState, monitor: string): Promise<boolean> {
  return tell(
    session.send("user_interaction", {
      interactions: [{ kind: "move", window_id: w.window_id, ts: Date.now() }],
      monitor_id: monitor,
    }),
  );
}

export async function closeWindow(session: Session, w: WindowState): Promise<boolean> {
  return tell(
    session.send("user_interaction", {
      interactions: [{ kind: "close", window_id: w.window_id, ts: Date.now() }],
      monitor_id: w.monitor_id,
    }),
  );
}

async function tell(sent: Promise<unknown>): Promise<boolean> {
  try {
    await sent;
    return true;
  } catch (e) {
    notifyError(e);
    return false;
  }
}
