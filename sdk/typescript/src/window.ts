import type { WindowContent, WindowKind, WindowState } from "./types.gen.js";

const kinds: Record<WindowKind, true> = {
  markdown: true,
  text: true,
  table: true,
  components: true,
  image: true,
  html: true,
  app: true,
  mcp_app: true,
};

/**
 * What a window shows, empty Markdown if it shows nothing that this client knows.
 * HTML and apps are strangers': show them in a sandbox, or not at all.
 */
export function contentOf(window: WindowState): WindowContent & { readonly text: string } {
  const c = window.content;
  if (!c || !Object.hasOwn(kinds, c.kind)) return { kind: "markdown", text: "" };
  return { ...c, text: typeof c.text === "string" ? c.text : "" };
}
