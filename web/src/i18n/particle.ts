/**
 * Gives a Korean word with the particle that its last sound asks for:
 * particle("세션", "을", "를") is "세션을". Words that end in a digit go by how the
 * digit is read, Latin ones by their last letter.
 */
export function particle(word: string, afterConsonant: string, afterVowel: string): string {
  return word + (endsInConsonant(word) ? afterConsonant : afterVowel);
}

const digitsWithConsonant = new Set(["0", "1", "3", "6", "7", "8"]); // 영 일 삼 육 칠 팔
const lettersWithConsonant = new Set(["l", "m", "n", "r", "b", "c", "k", "p", "t", "d", "g"]);

function endsInConsonant(word: string): boolean {
  const last = [...word.replace(/[\s"'`)\]}.!?]+$/u, "")].at(-1);
  if (!last) return false;
  const code = last.codePointAt(0)!;
  if (code >= 0xac00 && code <= 0xd7a3) return (code - 0xac00) % 28 !== 0;
  if (/[0-9]/.test(last)) return digitsWithConsonant.has(last);
  return lettersWithConsonant.has(last.toLowerCase());
}
