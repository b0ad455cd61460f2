import type { ModelInfo, Preset, StateData } from "@clew-run/client";

export const presets: readonly Preset[] = ["ask", "edits", "sandbox"];
const builtInModes = ["code", "architect", "ask", "debug", "orchestrator"] as const;

/** A model that can be chosen now. */
export interface ModelChoice {
  profile: string;
  /** Null: the profile's own. */
  model: string | null;
  name: string;
  /** The server uses it where nothing else is said. */
  ofServer?: boolean;
}

/**
 * The models that can be chosen now: those of the profiles, and of the catalogue where a
 * profile has the provider's name, as in the terminal.
 */
export function modelChoices(all: readonly ModelInfo[]): ModelChoice[] {
  const profiles = new Map(all.filter((m) => m.profile !== "").map((m) => [m.profile, m]));
  return all.flatMap((m): ModelChoice[] => {
    if (!m.usable) return [];
    if (m.profile !== "") return [{ profile: m.profile, model: null, name: m.model || m.profile, ofServer: m.in_use }];
    const carrier = profiles.get(m.provider);
    if (!carrier || carrier.provider !== m.provider || carrier.local || carrier.model === m.model) return [];
    return [{ profile: m.provider, model: m.model, name: m.model }];
  });
}

/** What agents may do without asking in a session; custom if single settings say it. */
export function presetOf(
  s: Pick<StateData, "auto_approval_enabled" | "always_allow_write" | "always_allow_execute"> & {
    permissions?: string;
  },
): Preset | "custom" {
  if (!s.auto_approval_enabled) return "ask";
  if (s.permissions === "edits" || s.permissions === "sandbox" || s.permissions === "ask") {
    const write = s.permissions !== "ask";
    return s.always_allow_write === write && !s.always_allow_execute ? s.permissions : "custom"; // a flag beside the preset wins over it
  }
  return s.always_allow_write || s.always_allow_execute ? "custom" : "ask";
}

/** The modes of a session: the built-in ones, and those of the settings. */
export function modesOf(
  custom: readonly Record<string, unknown>[] = [],
): { slug: string; name?: string; help?: string }[] {
  const own = custom.map((m) => ({
    slug: String(m.slug),
    name: String(m.name || m.slug),
    help: String(m.when_to_use ?? ""),
  }));
  const replaced = new Set(own.map((m) => m.slug));
  return [...builtInModes.filter((m) => !replaced.has(m)).map((slug) => ({ slug })), ...own];
}
