import type { Output } from "./output";

/** Outputs that are drawn together. */
export interface OutputBlock {
  /** The first one's. */
  key: string;
  outputs: readonly Output[];
  /** About what it takes to draw them, in characters of text. */
  cost: number;
}

/** What a browser draws within a frame. */
export const mostCost = 12_000;
/** Between outputs, in pixels. */
export const gap = 8;
const mostOutputs = 5;

/** Outputs in blocks that are cheap to draw, but for single ones that are not. A block that stays as it was before is the same object. */
export function blocksOf(list: readonly Output[], before: readonly OutputBlock[] = []): readonly OutputBlock[] {
  const blocks: { key: string; outputs: Output[]; cost: number }[] = [];
  for (const o of list) {
    const cost = costOf(o);
    const last = blocks.at(-1);
    if (last && last.outputs.length < mostOutputs && last.cost + cost <= mostCost) {
      last.outputs.push(o);
      last.cost += cost;
    } else {
      blocks.push({ key: o.key, outputs: [o], cost });
    }
  }
  return blocks.map((b, i) => {
    const was = before[i];
    return was?.outputs.length === b.outputs.length && b.outputs.every((o, j) => o === was.outputs[j]) ? was : b;
  });
}

function costOf(o: Output): number {
  if (o.kind !== "data") return 200 + Math.min(o.text.length, mostCost);
  const plain = Object.keys(o.data).every((type) => type === "text/plain");
  return plain ? 200 + Math.min(String(o.data["text/plain"]).length, mostCost) : 3_000;
}

/** About how high a block is before it was seen. */
export function guessHeight(block: OutputBlock): number {
  return block.outputs.reduce((sum, o) => sum + gap + heightOf(o), -gap);
}

function heightOf(o: Output): number {
  if (o.kind === "stream") return 18 * o.text.slice(0, 2_000).split("\n", 20).length;
  if (o.kind === "error") return 120;
  return Object.keys(o.data).every((type) => type === "text/plain") ? 18 : 240;
}
