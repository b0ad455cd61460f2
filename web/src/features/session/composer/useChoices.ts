import type { Preset, Session, StateData } from "@clew-run/client";
import { useSnapshot } from "@clew-run/client/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { create } from "zustand";
import { notify, notifyError } from "@/app/notices";
import { presetOf, type ModelChoice } from "@/features/chips/choices";
import { chipWords } from "@/features/chips/words";
import { useWords } from "@/i18n";

/** The mode that somebody chose for the next message, by session. */
const useWanted = create<{ modes: Record<string, string | undefined> }>(() => ({ modes: {} }));

/** The mode for a message that is about to go, if it is not the task's already. */
export function wantedMode(sessionId: string): string | undefined {
  return useWanted.getState().modes[sessionId];
}

/** The next message has its mode; the task goes on in it. */
export function modeSent(sessionId: string): void {
  useWanted.setState((s) => ({ modes: { ...s.modes, [sessionId]: undefined } }));
}

export interface Choices {
  model: string;
  profile?: string;
  mode: string;
  customModes: readonly Record<string, unknown>[];
  preset: Preset | "custom";
  chooseModel(m: ModelChoice): void;
  chooseMode(slug: string, name: string): void;
  choosePreset(p: Preset, name: string): void;
}

/**
 * Which model, mode and permissions count in a session. The server is asked, and asked
 * again after each change: of the session's settings, of the server's, or of the task's mode.
 * Those who only watch have nothing to choose.
 */
export function useChoices(session: Session): Choices | undefined {
  const t = useWords(chipWords);
  const [state, setState] = useState<StateData>();
  const synced = useSnapshot(session, (s) => s.synced && (s.session?.role === undefined || s.session.role === "owner"));
  const taskMode = useSnapshot(session, (s) => s.tasks.find((x) => x.focused)?.mode ?? "");
  const wanted = useWanted((s) => s.modes[session.id]);
  const load = useCallback(() => void session.query("get_state", { scope: "ui" }).then(setState, () => {}), [session]);
  useEffect(() => {
    if (synced) load();
  }, [synced, taskMode, load]);
  useEffect(() => session.on("state", ({ data }) => setState(data)), [session]);
  useEffect(() => session.on("settings_changed", load), [session, load]);
  useEffect(() => {
    const seen = () => void (document.hidden || !synced || load()); // another window may have changed it
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, [load, synced]);
  return useMemo(() => {
    if (!state) return undefined;
    const set = (settings: Record<string, unknown>, said: string) =>
      void session.send("update_settings", { settings }).then(() => {
        load();
        notify({ tone: "run", text: said });
      }, notifyError);
    const own = state.settings?.model;
    return {
      model:
        (typeof own === "string" && own) ||
        String(state.api_configuration?.model ?? "") ||
        state.current_api_config_name ||
        t.noModel,
      profile: state.current_api_config_name,
      mode: wanted ?? state.mode,
      customModes: state.custom_modes ?? [],
      preset: presetOf(state),
      chooseModel: (m) => set({ model_profile: m.profile, model: m.model }, t.nowModel(m.name)),
      chooseMode: (slug, name) => {
        useWanted.setState((s) => ({ modes: { ...s.modes, [session.id]: slug === state.mode ? undefined : slug } }));
        if (slug !== state.mode) notify({ tone: "run", text: t.nextMode(name) });
      },
      choosePreset: (p, name) =>
        set({ permissions: p, always_allow_write: null, always_allow_execute: null }, t.nowPermissions(name)),
    };
  }, [state, wanted, session, load, t]);
}
