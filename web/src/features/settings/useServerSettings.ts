import type { Setting } from "@clew-run/client";
import { client } from "@/app/client";
import { useLoaded } from "@/lib/useLoaded";

export interface ServerSettings {
  list: Setting[];
  of(key: string): Setting | undefined;
  /** Changes settings and shows what the server has then; a refusal is thrown. */
  change(changes: Record<string, unknown>): Promise<void>;
  /** Reads them again: one setting may change others. */
  fresh(): Promise<void>;
}

/** The server's settings, for administrators. */
export function useServerSettings(): { value?: ServerSettings; error: unknown; reload(): void } {
  const all = useLoaded("settings", () => client.rest.settings.list());
  const list = all.value?.settings;
  const fresh = async () => all.set(await client.rest.settings.list());
  return {
    error: all.error,
    reload: all.reload,
    value: list && {
      list,
      of: (key) => list.find((s) => s.key === key),
      change: async (changes) => {
        await client.rest.settings.change(changes);
        await fresh();
      },
      fresh,
    },
  };
}
