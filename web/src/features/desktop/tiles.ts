import type { Bounds } from "@clew-run/client";
import { fit, smallest, type Area } from "@/features/windows/place";

const margin = 20; // around windows that were tidied up
const gutter = 16; // between them
const wish = 1.25; // how much wider than high
const mostTile: Area = { w: 1200, h: 900 }; // more is emptiness on a large screen
const leastTile = 180; // less is a title with a strip below it

/**
 * Places for so many windows: side by side in columns that fill the area, none much wider or
 * higher than the others. Where that leaves them too little, one lies over the other.
 */
export function tiles(count: number, area: Area): Bounds[] {
  const room = { w: area.w - 2 * margin, h: area.h - 2 * margin };
  const columns = columnsFor(count, room);
  const sizes = columnSizes(count, columns, room).map((s) => ({
    ...s,
    w: Math.min(s.w, mostTile.w),
    h: Math.min(s.h, mostTile.h),
  }));
  if (count > 1 && Math.min(...sizes.map((s) => s.h)) < leastTile)
    return stairs(count, room).map((b) => fit({ ...b, x: margin + b.x, y: margin + b.y }, area));
  return sizes.flatMap(({ rows, w, h }, c) =>
    Array.from({ length: rows }, (_, r) =>
      fit({ x: margin + c * (w + gutter), y: margin + r * (h + gutter), w, h }, area),
    ),
  );
}

/** As many columns as make windows a little wider than high, all things considered. */
function columnsFor(count: number, room: Area): number {
  const odd = (columns: number) =>
    columnSizes(count, columns, room).reduce((sum, { rows, w, h }) => sum + rows * Math.abs(Math.log(w / h / wish)), 0);
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
  return Array.from({ length: count }, (_, i) => ({
    x: (count - 1 - i) * across,
    y: i * down,
    w: room.w - (count - 1) * across,
    h: room.h - (count - 1) * down,
  }));
}

/** What one of so many gets, with gutters between them. */
function share(of: number, room: number): number {
  return (room - (of - 1) * gutter) / of;
}
