import { create } from "zustand";
import { lazyPart } from "@/lib/lazyPart";
import type { Asked } from "./alike";

const BatchDialog = lazyPart(() => import("./BatchDialog").then((m) => m.BatchDialog), true);

const useBatch = create<{ items: readonly Asked[] | null }>(() => ({ items: null }));

/** Shows many alike, to be approved together. */
export function openBatch(items: readonly Asked[]): void {
  useBatch.setState({ items });
}

/**
 * Where the dialog for many lives: around all pages, since the card that opened
 * it is among those that it settles, and goes.
 */
export function BatchHost() {
  const items = useBatch((s) => s.items);
  return items && <BatchDialog items={items} onClose={() => useBatch.setState({ items: null })} />;
}
