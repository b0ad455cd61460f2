/**
 * The last words of a session as one plain line: the marks of Markdown are for
 * a text that is set, and only noise in a list.
 */
export function plainLine(text: string): string {
  return text
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d+[.)])\s+/, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|~~)(\S(?:.*?\S)?)\1/g, "$2")
    .replace(/`+([^`]+)`+/g, "$1")
    .replace(/(^|[\s(])[*_](\S(?:[^*_]*\S)?)[*_](?=$|[\s.,;:!?)])/g, "$1$2")
    .trim();
}
