/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) bytes += 1;
    else if (c < 0x800) bytes += 2;
    else if (c >= 0xd800 && c < 0xdc00 && isLow(text.charCodeAt(i + 1))) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}

/** What is left of a text after its first bytes. It never splits a character. */
export function dropBytes(text: string, bytes: number): string {
  let i = 0;
  while (bytes > 0 && i < text.length) {
    const step = text.codePointAt(i)! > 0xffff ? 2 : 1;
    bytes -= utf8Length(text.slice(i, i + step));
    i += step;
  }
  return text.slice(i);
}

function isLow(c: number): boolean {
  return c >= 0xdc00 && c < 0xe000;
}
