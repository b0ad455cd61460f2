import type { Extension } from "@codemirror/state";

const languages: Record<string, () => Promise<Extension>> = {
  python: async () => (await import("./python")).python,
  markdown: async () => (await import("./markdown")).markdown,
};

/** What an editor knows of a language; nothing of most. */
export async function languageFor(name: string): Promise<Extension> {
  return (await languages[name]?.()) ?? [];
}
