import type { Bounds } from "@clew-run/client";
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { announce } from "@/app/notices";
import { useWords } from "@/i18n";
import { arrow, dragged, same, type Area, type Hold } from "./place";
import { windowWords } from "./words";

export type Stepping = "move" | "resize";

interface Steps {
  kind: Stepping;
  from: Bounds;
  now: Bounds;
}

/**
 * Moving and resizing with arrow keys, in steps: Enter keeps it, Escape puts it
 * back. Whoever goes elsewhere keeps it, too.
 */
export function useSteps(
  place: Bounds,
  area: Area,
  box: RefObject<HTMLElement | null>,
  onEnd: (hold: Hold, bounds: Bounds) => void,
) {
  const t = useWords(windowWords);
  const [steps, show] = useState<Steps | null>(null);
  const latest = useRef<Steps | null>(null); // the focus leaves before the next render
  const setSteps = (next: Steps | null) => {
    latest.current = next;
    show(next);
  };
  const back = useRef<HTMLElement | null>(null);
  const begun = steps !== null;
  useEffect(() => {
    if (begun) box.current?.focus();
  }, [begun, box]);

  const start = (kind: Stepping) => {
    back.current = document.activeElement as HTMLElement | null;
    setSteps({ kind, from: place, now: place });
    announce(kind === "move" ? t.moving : t.resizing);
  };
  const end = (keep: boolean) => {
    const last = latest.current;
    if (!last) return;
    setSteps(null);
    if (keep && !same(last.from, last.now)) onEnd(last.kind === "move" ? "" : "se", last.now);
    announce(keep ? t.kept : t.putBack);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const last = latest.current;
    if (!last || e.target !== box.current) return;
    const by = arrow(e.key);
    if (by) {
      const now = dragged(last.now, last.kind === "move" ? "" : "se", by.dx, by.dy, area);
      setSteps({ ...last, now });
      announce(last.kind === "move" ? t.placed(now.x, now.y) : t.sized(now.w, now.h));
    } else if (e.key === "Enter" || e.key === "Escape") {
      end(e.key === "Enter");
      back.current?.focus();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return { steps, start, onKeyDown, onBlur: () => end(true) };
}
