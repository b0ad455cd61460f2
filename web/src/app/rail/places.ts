import { ChartColumn, Clock, Home, Inbox, type LucideIcon, Settings } from "lucide-react";
import { useMemo } from "react";
import { useWords } from "@/i18n";
import { appWords } from "../words";

export interface Place {
  path: string;
  name: string;
  icon: LucideIcon;
  keys?: string;
  /** What is found there, for the palette. */
  note?: string;
  /** It stands in the rail; the others are in the person's menu and in the palette. */
  rail?: boolean;
}

/** The pages one can go to, in the order of the rail. */
export function usePlaces(): Place[] {
  const t = useWords(appWords);
  return useMemo(
    () => [
      { path: "/", name: t.home, icon: Home, rail: true },
      { path: "/inbox", name: t.inbox, icon: Inbox, keys: "i", rail: true },
      { path: "/usage", name: t.usage, icon: ChartColumn, rail: true },
      { path: "/history", name: t.history, icon: Clock, keys: "h", note: t.historyNote },
      { path: "/settings", name: t.settings, icon: Settings, keys: ",", note: t.settingsNote },
    ],
    [t],
  );
}

export function isAt(path: string, place: string): boolean {
  return place === "/" ? path === "/" : path.startsWith(place);
}
