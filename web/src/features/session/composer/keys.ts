/** What of a key press counts here. */
export interface Press {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

export type Intent = "send" | "steer" | null;

/**
 * Whether a key press sends. An input method takes Enter for itself: browsers say
 * so by isComposing, by key code 229, or (Safari) end the composition just before
 * the press, which `composing` remembers.
 */
export function intentOf(e: Press, composing: boolean): Intent {
  if (e.key !== "Enter" || e.isComposing || e.keyCode === 229 || composing) return null;
  if (e.shiftKey || e.altKey) return null;
  return e.ctrlKey || e.metaKey ? "steer" : "send";
}
