import type { AgentState, MonitorState, Session, WindowState } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useMemo } from "react";
import { monitors as all, numberOf } from "@/features/windows/desk";
import { mainMonitor } from "@/features/session/transcript/scope";

/** A monitor as the bar shows it. */
export interface MonitorView {
  id: string;
  /** As people count, from 1. */
  number: number;
  /** What its agent is about; "" if nothing. */
  title: string;
  busy: boolean;
  queued: number;
  /** An agent on it waits for a person. */
  asks: boolean;
  heldUntil?: number;
  windows: readonly WindowState[];
}

export function monitorOf(w: WindowState): string {
  return w.monitor_id ?? mainMonitor;
}

/** The monitors of a session, with the one that is looked at, though nothing is on it yet. */
function monitorViews(
  states: readonly MonitorState[],
  windows: readonly WindowState[],
  agents: readonly AgentState[],
  here: string,
): MonitorView[] {
  const used = new Set([mainMonitor, here, ...states.map((m) => m.monitor_id), ...windows.map(monitorOf)]);
  return all
    .filter((id) => used.has(id))
    .map((id) => {
      const m: (MonitorState & { held_until_ms?: number }) | undefined = states.find((s) => s.monitor_id === id);
      return {
        id,
        number: numberOf(id),
        title: m?.title ?? "",
        busy: m?.busy ?? false,
        queued: m?.queued ?? 0,
        asks: agents.some((a) => a.waiting && (a.monitor_id ?? mainMonitor) === id),
        heldUntil: m?.held_until_ms,
        windows: windows.filter((w) => monitorOf(w) === id),
      };
    });
}

export function useMonitorViews(session: Session, here: string): readonly MonitorView[] {
  const states = useSnapshot(session, (s) => s.monitors);
  const windows = useSnapshot(session, (s) => s.windows);
  const agents = useSnapshot(session, (s) => s.agents);
  return useMemo(() => monitorViews(states, windows, agents, here), [states, windows, agents, here]);
}

/** The first monitor that nobody uses; undefined if all are in use. */
export function nextMonitor(views: readonly MonitorView[]): string | undefined {
  return all.find((id) => !views.some((v) => v.id === id));
}
