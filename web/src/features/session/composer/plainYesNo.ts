import { plainCourtesy, plainNo, plainYes } from "@clew-run/client";

/**
 * Whether a text says nothing but yes or nothing but no. At an open approval or
 * plan review such words are not sent: words deny the one and change the other,
 * so a yes would be taken for its opposite. As client.PlainYesNo in Go.
 */
export function plainYesNo(text: string): "yes" | "no" | null {
  const said = text.toLowerCase().replace(marks, " ").split(/\s+/).filter(Boolean);
  if (said.length === 0 || said.length > 6) return null;
  return only(said, plainYes) ? "yes" : only(said, plainNo) ? "no" : null;
}

/** "Yes, go ahead!" is plain. A question mark stays, for a question is no answer. */
const marks = /[.!,~…。！，、"'’`]/gu;

/** Whether words are made of such phrases, with nothing left but courtesy. */
function only(said: readonly string[], phrases: readonly string[]): boolean {
  let found = false;
  for (let at = 0; at < said.length;) {
    if (found && plainCourtesy.includes(said[at]!)) {
      at++;
      continue;
    }
    const phrase = phrases.map((p) => p.split(" ")).find((p) => p.every((word, i) => said[at + i] === word));
    if (!phrase) return false;
    found = true;
    at += phrase.length;
  }
  return found;
}
