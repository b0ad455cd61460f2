const mostLines = 150;
const mostCharacters = 12_000;
const begin = 50;
const end = 30;
const more = 1_000;

/** What is shown of a text: of a very long one the beginning and the end, and the more of it the more often somebody asked. */
export function partOf(text: string, asked: number): { text: string; whole: boolean } {
  if (after(text, mostLines, mostCharacters) === text.length) return { text, whole: true };
  const head = after(text, begin + asked * more, mostCharacters / 2 + asked * 100_000);
  const tail = before(text, end, mostCharacters / 5);
  if (head >= tail) return { text, whole: true };
  return { text: `${text.slice(0, head).replace(/\n$/, "")}\n⋮\n${text.slice(tail)}`, whole: false };
}

/** The place behind so many lines, or characters. */
function after(text: string, lines: number, characters: number): number {
  let at = 0;
  for (let n = 0; n < lines && at < characters; n++) {
    const next = text.indexOf("\n", at);
    if (next < 0) return Math.min(text.length, characters);
    at = next + 1;
  }
  return Math.min(at, characters);
}

/** The place before the last lines, or characters. */
function before(text: string, lines: number, characters: number): number {
  const least = Math.max(0, text.length - characters);
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let n = 0; n < lines && at > least; n++) at = text.lastIndexOf("\n", at - 1);
  return Math.max(at + 1, least);
}
