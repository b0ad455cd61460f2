import type { Bounds } from "@clew-run/client";

export interface Area {
  readonly w: number;
  readonly h: number;
}

export const smallest: Area = { w: 220, h: 140 };
const usual: Area = { w: 460, h: 340 };
const gap = 24;
const top = 56; // below the tabs of the right side
const step = 24; // of an arrow key

/** Which edges are taken hold of: "n", "se", …; "" is the whole window. */
export type Hold = "" | "n" | "e" | "s" | "w" | "ne" | "nw" | "se" | "sw";

/** The place that is shown: all of the window lies in the area, whatever was kept of it. */
export function fit(b: Bounds, area: Area): Bounds {
  const w = between(Math.min(smallest.w, area.w), b.w, area.w);
  const h = between(Math.min(smallest.h, area.h), b.h, area.h);
  return { x: between(0, b.x, area.w - w), y: between(0, b.y, area.h - h), w, h };
}

/** Where a window lies that nobody has put anywhere: at the right, each a little lower. */
export function firstPlace(index: number, area: Area): Bounds {
  const down = (index % 6) * 32;
  return fit({ x: area.w - usual.w - gap - down, y: top + down, w: usual.w, h: usual.h }, area);
}

/** A window after it was dragged by its title or by an edge. */
export function dragged(from: Bounds, hold: Hold, dx: number, dy: number, area: Area): Bounds {
  if (hold === "") return fit({ ...from, x: from.x + dx, y: from.y + dy }, area);
  const right = from.x + from.w;
  const bottom = from.y + from.h;
  let { x, y, w, h } = from;
  if (hold.includes("e")) w = between(smallest.w, w + dx, area.w - x);
  if (hold.includes("s")) h = between(smallest.h, h + dy, area.h - y);
  if (hold.includes("w")) {
    x = between(0, x + dx, right - smallest.w);
    w = right - x;
  }
  if (hold.includes("n")) {
    y = between(0, y + dy, bottom - smallest.h);
    h = bottom - y;
  }
  return fit({ x, y, w, h }, area);
}

/** How far an arrow key goes; none for other keys. */
export function arrow(key: string): { dx: number; dy: number } | undefined {
  const ways: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const way = ways[key];
  return way && { dx: way[0] * step, dy: way[1] * step };
}

export function same(a: Bounds, b: Bounds): boolean {
  return a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;
}

function between(least: number, value: number, most: number): number {
  return Math.round(Math.max(least, Math.min(value, Math.max(least, most))));
}
