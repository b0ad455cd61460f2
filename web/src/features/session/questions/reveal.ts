/**
 * Text that deceives the eye: characters that turn its direction, that are not
 * seen, or that steer a terminal. What an approval shows must look like what it
 * is, so these are taken out of the text and shown by their number.
 */
export type Piece = { text: string } | { code: string };

// Bidirectional controls, zero-width and other invisible characters, tags,
// variation selectors, fillers that look like nothing, and control characters
// but for the line break and the tab.
const deceiving =
  // oxlint-disable-next-line no-misleading-character-class -- it is about single characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\u00a0\u1680\u2000-\u200a\u3000]|[\ud800-\udfff]/gu;

/** The text in pieces: what can be shown as it is, and what cannot. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const hit of text.matchAll(deceiving)) {
    if (hit.index > from) found.push({ text: text.slice(from, hit.index) });
    found.push({ code: `U+${hit[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}` });
    from = hit.index + hit[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from) });
  return found;
}

/** Whether there is anything in the text that the eye would miss. */
export function deceives(text: string): boolean {
  return text.search(deceiving) >= 0;
}
