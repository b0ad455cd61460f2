import type { ModelInfo, ModelList, NamedModelProfile, ModelTested } from "@clew-run/client";

/** Where models come from: a provider, or a server at an address. Profiles that share both share a row. */
export interface ProviderGroup {
  id: string;
  title: string;
  /** The host, if it is at an address of its own. */
  host?: string;
  local: boolean;
  needsKey: boolean;
  /** The variable of the server's environment that has its key. */
  variable?: string;
  profiles: NamedModelProfile[];
  /** Why its models cannot be called now, as a code; undefined if they can. */
  whyNot?: string;
}

export function providersOf(profiles: readonly NamedModelProfile[], list: ModelList): ProviderGroup[] {
  const info = new Map(list.models.filter((m) => m.profile !== "").map((m) => [m.profile, m]));
  const shown = profiles.filter((p) => !p.hidden && p.provider && p.provider !== "echo");
  return [...Map.groupBy(shown, (p) => `${p.provider} ${p.base_url ?? ""}`)].map(([id, members]) => {
    const vendor = list.providers.find((v) => v.id === members[0]!.provider);
    const host = hostOf(members[0]!.base_url);
    const models = members.map((p) => info.get(p.name));
    return {
      id,
      title: host ? members[0]!.name : (vendor?.title ?? members[0]!.provider!),
      host,
      local: models.some((m) => m?.local),
      needsKey: host ? members.some((p) => p.key_name) : vendor?.needs_key === true,
      variable: models.find((m) => m?.key_variable)?.key_variable,
      profiles: members,
      whyNot: models.every((m) => m && !m.usable) ? (models[0]?.why_not_code ?? "missing") : undefined,
    };
  });
}

function hostOf(url: string | undefined): string | undefined {
  if (!url) return undefined;
  return URL.canParse(url) ? new URL(url).host : url;
}

/** How a provider stands, as far as it is known. Nothing but a test tells that it answers. */
export type Standing =
  | { state: "untested" | "testing" }
  | { state: "connected"; seconds: string }
  | { state: "failed"; kind: Failure; message?: string }
  | { state: "not_usable"; code: string };

export type Failure = NonNullable<ModelTested["error"]>["kind"];

export function standingOf(group: ProviderGroup, tested: ModelTested | "testing" | undefined): Standing {
  if (tested === "testing") return { state: "testing" };
  if (tested?.ok) return { state: "connected", seconds: (tested.latency_ms / 1000).toFixed(1) };
  if (tested) return { state: "failed", kind: tested.error?.kind ?? "request", message: tested.error?.message };
  return group.whyNot ? { state: "not_usable", code: group.whyNot } : { state: "untested" };
}

/** Models of the catalogue that a provider has and no profile uses yet. */
export function furtherModels(group: ProviderGroup, list: ModelList): ModelInfo[] {
  if (group.host) return [];
  const taken = new Set(group.profiles.map((p) => p.model));
  return list.models.filter(
    (m) => m.profile === "" && m.provider === group.profiles[0]!.provider && !taken.has(m.model),
  );
}

/** The fields of a profile for another model of the same provider: the same key and address. */
export function alike(from: NamedModelProfile, model: string): Record<string, unknown> {
  return {
    provider: from.provider,
    model,
    ...pick(from, ["api", "base_url", "region", "project", "headers"]),
    key_name: from.key_name || undefined,
  };
}

/** A profile's own fields, as they are saved. */
export function fieldsOf({
  name: _,
  in_use: __,
  variable: ___,
  hidden: ____,
  ...fields
}: NamedModelProfile): Record<string, unknown> {
  return fields;
}

function pick(from: NamedModelProfile, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((n) => from[n] !== undefined && from[n] !== "").map((n) => [n, from[n]]));
}

/** A name for a profile of a model that no other one has. */
export function freeName(model: string, profiles: readonly NamedModelProfile[]): string {
  const base = model.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60);
  const taken = new Set(profiles.map((p) => p.name));
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
  return name;
}

/** What a profile is called where one chooses a model. */
export function modelName(p: NamedModelProfile, list: ModelList): string {
  const vendor = list.providers.find((v) => v.id === p.provider);
  return `${p.model || p.name} · ${p.base_url ? p.name : (vendor?.title ?? p.provider ?? p.name)}`;
}
