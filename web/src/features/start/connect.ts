import type { LocalModelServer, ModelInfo, ModelList, ModelProvider } from "@clew-run/client";

/** Where a model can come from, as a choice on the page. */
export type Source =
  | { kind: "provider"; id: string; provider: ModelProvider }
  | { kind: "local"; id: string; server: LocalModelServer }
  | { kind: "compatible"; id: "compatible" }
  | { kind: "none"; id: "none" };

/** What a person filled in. */
export interface Filled {
  key: string;
  model: string;
  address: string;
}

/** Those that most people have. */
const usual = ["anthropic", "openai", "gemini", "openrouter"];

/** The choices, those that most people need first; `more` has the rest. */
export function sourcesOf(list: ModelList, servers: readonly LocalModelServer[]): { shown: Source[]; more: Source[] } {
  const all = list.providers.map((provider): Source => ({ kind: "provider", id: provider.id, provider }));
  return {
    shown: [
      ...usual.flatMap((id) => all.filter((s) => s.id === id)),
      ...servers.map((server): Source => ({ kind: "local", id: `local:${server.name}`, server })),
      { kind: "compatible", id: "compatible" },
      { kind: "none", id: "none" },
    ],
    more: all.filter((s) => !usual.includes(s.id)),
  };
}

/** The models that a source offers, the one to take first. */
export function modelsOf(source: Source, list: ModelList): string[] {
  if (source.kind === "local") return source.server.models.map((m) => m.name);
  if (source.kind !== "provider") return [];
  const names = list.models.filter((m) => m.profile === "" && m.provider === source.id).map((m) => m.model);
  return [...new Set([source.provider.model, ...names])].filter((n) => n !== "");
}

/** The fields of the profile that a choice makes; undefined while something is missing. */
export function fieldsOf(source: Source, filled: Filled): Record<string, unknown> | undefined {
  const { key, model, address } = {
    key: filled.key.trim(),
    model: filled.model.trim(),
    address: filled.address.trim(),
  };
  if (model === "") return undefined;
  switch (source.kind) {
    case "provider": {
      const p = source.provider;
      if ((p.needs_key && key === "") || (p.needs_address && address === "")) return undefined;
      return {
        provider: p.id,
        model,
        ...(p.api && { api: p.api }),
        ...(key && { api_key: key }),
        ...(address && { base_url: address }),
      };
    }
    case "local": {
      const window = source.server.models.find((m) => m.name === model)?.context_window;
      return {
        provider: "openai",
        api: "chat",
        base_url: source.server.base_url,
        model,
        ...(window && { context_window: window }),
      };
    }
    case "compatible":
      return address === ""
        ? undefined
        : { provider: "openai", api: "chat", base_url: address, model, ...(key && { api_key: key }) };
    case "none":
      return undefined;
  }
}

/** A name for the profile that no other one has: nothing is overwritten. */
export function profileName(source: Source, models: readonly ModelInfo[]): string {
  const base = source.kind === "local" ? source.server.name : source.kind === "compatible" ? "compatible" : source.id;
  const taken = new Set(models.map((m) => m.profile));
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
  return name;
}

/** Stores a profile that was tested, and has the server use it. */
export async function keep<T>(
  ways: { save(profile: string, fields: Record<string, unknown>): Promise<unknown>; use(profile: string): Promise<T> },
  name: string,
  fields: Record<string, unknown>,
): Promise<T> {
  await ways.save(name, fields);
  return ways.use(name);
}
