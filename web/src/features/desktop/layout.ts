import type { Bounds } from "@clew-run/client";
import { create } from "zustand";
import type { Layout } from "@/features/windows/desk";
import { fit, type Area } from "@/features/windows/place";
import { tiles } from "./tiles";

/** The transcript lies among the windows, under a name that no window has. */
export const transcriptId = ":transcript";

const margin = 20;
const gutter = 16;

/** How wide the transcript is beside windows. */
export function transcriptWidth(area: Area): number {
  return area.w >= 2000 ? 460 : area.w >= 1000 ? 384 : Math.round(area.w * 0.42);
}

/** Where the transcript lies until somebody puts it elsewhere: at the right, as high as there is room. */
export function transcriptPlace(area: Area): Bounds {
  const w = transcriptWidth(area);
  return fit({ x: area.w - margin - w, y: margin, w, h: area.h - 2 * margin }, area);
}

/** Places for windows side by side; beside the transcript, where it is shown. */
export function windowPlaces(count: number, area: Area, transcript: boolean): Bounds[] {
  if (!transcript) return tiles(count, area);
  return tiles(count, { w: area.w - transcriptWidth(area) - gutter, h: area.h });
}

const key = "clew.desktop.transcript";

/** Where this browser has the transcript, on every desktop. */
export const useTranscriptPlace = create<Partial<Record<Layout, Bounds>>>(() => {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Record<Layout, Bounds>>;
  } catch {
    return {};
  }
});

export function placeTranscript(layout: Layout, bounds: Bounds | undefined): void {
  useTranscriptPlace.setState({ [layout]: bounds });
  try {
    localStorage.setItem(key, JSON.stringify(useTranscriptPlace.getState()));
  } catch {
    // kept for this page then
  }
}
