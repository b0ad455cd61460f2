import type { WindowState } from "./types.gen.js";

/** What a window shows. HTML is a stranger's: show it in a sandbox, or not at all. */
export interface WindowContent {
  readonly kind: "markdown" | "html";
  readonly text: string;
}

/** What a window shows, empty Markdown if it shows nothing. */
export function contentOf(window: WindowState): WindowContent {
  const c = window.content as Partial<WindowContent> | null | undefined;
  if ((c?.kind !== "markdown" && c?.kind !== "html") || typeof c.text !== "string") return { kind: "markdown", text: "" };
  return { kind: c.kind, text: c.text };
}
