import { takeImages, type ImageProblem } from "./images";

/** What the file dialog offers. Files of other kinds are looked at when they are dropped. */
export const takenTypes = "image/png,image/jpeg,image/gif,image/webp,text/*,.md,.json,.yaml,.yml,.toml,.csv,.log,.go,.ts,.tsx,.js,.py,.rs,.java,.c,.h,.sh,.sql";

/** A message holds a megabyte at most; a draft on the server 64 KiB of text. */
export const mostText = 48 * 1024;

export type FileProblem = ImageProblem | "notText" | "textTooLong";

/**
 * Takes files for a message: images as images, texts as words that the model reads. Other
 * files cannot be sent; those of the workspace are mentioned with @.
 */
export async function takeFiles(files: readonly File[], have: readonly string[]): Promise<{ images: string[]; text: string; problem?: FileProblem }> {
  const pictures = files.filter((f) => f.type.startsWith("image/") && f.type !== "image/svg+xml");
  let { images, problem }: { images: string[]; problem?: FileProblem } = await takeImages(pictures, have);
  const texts: string[] = [];
  let room = mostText;
  for (const file of files) {
    if (pictures.includes(file)) continue;
    if (file.size > room) {
      problem = "textTooLong";
      continue;
    }
    const text = await plain(file);
    if (text === null) problem = "notText";
    else {
      texts.push(fenced(file.name, text));
      room -= file.size;
    }
  }
  return { images, text: texts.join("\n\n"), problem };
}

/** The words with files behind them. */
export function withFiles(words: string, files: string): string {
  if (files === "") return words;
  return words.trim() === "" ? `${files}\n` : `${words.trimEnd()}\n\n${files}\n`;
}

/** A text as a block of code under its name, between as many ticks as it needs. */
export function fenced(name: string, text: string): string {
  let ticks = "```";
  while (text.includes(ticks)) ticks += "`";
  return `${name.replaceAll(/[`\n\r]/g, " ")}:\n${ticks}\n${text.replace(/\n$/, "")}\n${ticks}`;
}

/** The text of a file, null if it is none. */
async function plain(file: File): Promise<string | null> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
