/**
 * Makes the ends of lines count in Markdown. Who writes a message, or reports a result,
 * means them; code keeps its own.
 */
export function keepBreaks(text: string): string {
  let fenced = false;
  return text
    .split("\n")
    .map((line) => {
      if (/^\s*(?:```|~~~)/.test(line)) {
        fenced = !fenced;
        return line;
      }
      return fenced || line.trim() === "" || /^(?: {4}|\t)/.test(line) || line.endsWith("  ") ? line : `${line}  `;
    })
    .join("\n");
}
