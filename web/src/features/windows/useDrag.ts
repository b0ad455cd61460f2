import type { Bounds } from "@clew-run/client";
import { useRef, useState, type PointerEvent } from "react";
import { dragged, same, type Area, type Hold } from "./place";

/** Dragging with a pointer: where the window is meanwhile, and the word at the end. */
export function useDrag(place: Bounds, area: Area, onEnd: (hold: Hold, bounds: Bounds) => void) {
  const [now, setNow] = useState<Bounds | null>(null);
  const from = useRef<{ x: number; y: number; place: Bounds; hold: Hold } | null>(null);
  const start = (hold: Hold) => (e: PointerEvent<HTMLElement>) => {
    if (e.button !== 0 || (e.target as HTMLElement).closest("button")) return;
    e.currentTarget.setPointerCapture(e.pointerId);
    from.current = { x: e.clientX, y: e.clientY, place, hold };
    setNow(place);
  };
  const move = (e: PointerEvent<HTMLElement>) => {
    const f = from.current;
    if (f) setNow(dragged(f.place, f.hold, e.clientX - f.x, e.clientY - f.y, area));
  };
  const end = (e: PointerEvent<HTMLElement>) => {
    const f = from.current;
    if (!f) return;
    from.current = null;
    const last = dragged(f.place, f.hold, e.clientX - f.x, e.clientY - f.y, area);
    if (e.type === "pointerup" && !same(last, f.place)) onEnd(f.hold, last);
    setNow(null);
  };
  return {
    now,
    handle: (hold: Hold) => ({
      onPointerDown: start(hold),
      onPointerMove: move,
      onPointerUp: end,
      onPointerCancel: end,
    }),
  };
}
