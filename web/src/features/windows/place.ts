import type { Bounds } from "@clew-run/client";

export interface Area {
  readonly w: number;
  readonly h: number;
}

export const smallest: Area = { w: 220, h: 140 };
const usual: Area = { w: 460, h: 340 };
const gap = 24;
const top = 56; // below the tabs of the right side
export const step = 24; // of an arrow key

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

const margin = 20; // around windows that were tidied up
const gutter = 16; // between them
const wish = 1.25; // how much wider than high
const mostTile: Area = { w: 1200, h: 900 }; // more is emptiness on a large screen
const leastTile = 180; // less is a title with a strip below it

/**
 * Places for so many windows: side by side in columns that fill the area, none much wider or
 * higher than the others. Where that leaves them too little, one lies over the other.
 */
export function tiles(count: number, area: Area, left = 0): Bounds[] {
  const room = { w: area.w - left - 2 * margin, h: area.h - 2 * margin };
  const columns = columnsFor(count, room);
  const sizes = columnSizes(count, columns, room).map((s) => ({ ...s, w: Math.min(s.w, mostTile.w), h: Math.min(s.h, mostTile.h) }));
  if (count > 1 && Math.min(...sizes.map((s) => s.h)) < leastTile) return stairs(count, room).map((b) => fit({ ...b, x: left + margin + b.x, y: margin + b.y }, area));
  return sizes.flatMap(({ rows, w, h }, c) => Array.from({ length: rows }, (_, r) => fit({ x: left + margin + c * (w + gutter), y: margin + r * (h + gutter), w, h }, area)));
}

/** As many columns as make windows a little wider than high, all things considered. */
function columnsFor(count: number, room: Area): number {
  const odd = (columns: number) => columnSizes(count, columns, room).reduce((sum, { rows, w, h }) => sum + rows * Math.abs(Math.log(w / h / wish)), 0);
  let best = 1;
  for (let c = 2; c <= count && room.w / c >= smallest.w; c++) if (odd(c) < odd(best)) best = c;
  return best;
}

/** How many windows each column has, and how large those are; the last columns have one more. */
function columnSizes(count: number, columns: number, room: Area): { rows: number; w: number; h: number }[] {
  return Array.from({ length: columns }, (_, c) => {
    const rows = Math.floor((count + c) / columns);
    return { rows, w: share(columns, room.w), h: share(rows, room.h) };
  });
}

/** Each window a little lower and further left than the one before: whichever is in front, of each other one an edge of its title is seen, and not its close button. */
function stairs(count: number, room: Area): Bounds[] {
  const down = Math.min(40, (room.h - smallest.h) / (count - 1));
  const across = Math.min(28, (room.w - smallest.w) / (count - 1));
  return Array.from({ length: count }, (_, i) => ({ x: (count - 1 - i) * across, y: i * down, w: room.w - (count - 1) * across, h: room.h - (count - 1) * down }));
}

/** What one of so many gets, with gutters between them. */
function share(of: number, room: number): number {
  return (room - (of - 1) * gutter) / of;
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
  const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const way = ways[key];
  return way && { dx: way[0] * step, dy: way[1] * step };
}

export function same(a: Bounds, b: Bounds): boolean {
  return a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;
}

function between(least: number, value: number, most: number): number {
  return Math.round(Math.max(least, Math.min(value, Math.max(least, most))));
}
