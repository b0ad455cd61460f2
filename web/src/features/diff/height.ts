import type { Item } from "./items";
import { longest } from "./LineRow";

const lineHeight = 20;
const headHeight = 38;
const charWidth = 7.02; // 12 px of the mono font, with the tracking of .diff
const beside = 62; // the number, the sign and the space behind the text

/** How many characters fit in one line of a side. */
export function columnsOf(width: number, split: boolean): number {
  return Math.max(1, Math.floor(((split ? width / 2 : width) - beside) / charWidth));
}

/**
 * How high a row will be, as far as can be told without drawing it. A guess
 * that is right saves the list from being drawn a second time at each jump.
 */
export function heightOf(item: Item, columns: number): number {
  if (item.kind !== "row" || item.row.kind === "gap") return item.kind === "row" ? 24 : headHeight;
  const { before, after } = item.row;
  return lineHeight * Math.max(linesIn(before, columns), linesIn(after, columns));
}

/** Lines that a text takes: it breaks at a space, and inside of a word that is too long. */
function linesIn(text: string | undefined, columns: number): number {
  const end = Math.min(text?.length ?? 0, longest);
  let lines = 1;
  for (let from = 0; end - from > columns; lines++) {
    const space = text!.lastIndexOf(" ", from + columns);
    from = space > from ? space + 1 : from + columns;
  }
  return lines;
}
