import type { Bounds, WindowState } from "@clew-run/client";
import { heldAs, type Layout } from "@/features/windows/desk";
import type { Area } from "@/features/windows/place";
import { windowPlaces } from "./layout";

/** Where each window of a monitor lies: where somebody put it on this class of device, else in its slot of a tidy desktop. */
export function placesOf(
  windows: readonly WindowState[],
  area: Area,
  layout: Layout,
  held: ReadonlyMap<string, Bounds>,
  transcript: boolean,
): ReadonlyMap<string, Bounds> {
  const slots = windowPlaces(windows.length, area, transcript);
  return new Map(
    windows.map((w, i) => [w.window_id, held.get(heldAs(layout, w.window_id)) ?? w.layouts?.[layout] ?? slots[i]!]),
  );
}
