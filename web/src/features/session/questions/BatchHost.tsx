import { lazy, Suspense } from "react";
import { create } from "zustand";
import type { Asked } from "./alike";

const BatchDialog = lazy(() => import("./BatchDialog").then((m) => ({ default: m.BatchDialog })));

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
  return items && <Suspense><BatchDialog items={items} onClose={() => useBatch.setState({ items: null })} /></Suspense>;
}
