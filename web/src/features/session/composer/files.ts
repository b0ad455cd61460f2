import { imageTypes, takeImages, type ImageProblem } from "./images";
import type { composerWords } from "./words";

/** What the file dialog offers. Files of other kinds are looked at when they are dropped. */
export const takenTypes =
  "image/png,image/jpeg,image/gif,image/webp,text/*,.md,.json,.yaml,.yml,.toml,.csv,.log,.go,.ts,.tsx,.js,.py,.rs,.java,.c,.h,.sh,.sql";

/** A message holds a megabyte at most; a draft on the server 64 KiB of text. */
export const mostText = 48 * 1024;

/** So many bytes tell a text from other files. */
const enoughToTell = 4096;

type Words = typeof composerWords.en;

export type FileProblem = ImageProblem | "notText" | "textTooLong";

export interface Taken {
  images: string[];
  text: string;
  problem?: FileProblem;
  /** The names of those that are neither images nor texts. */
  refused: string[];
}

/**
 * Takes files for a message: images as images, texts as words that the model reads. Other
 * files cannot be sent; those of the workspace are mentioned with @.
 */
export async function takeFiles(files: readonly File[], have: readonly string[]): Promise<Taken> {
  const pictures = files.filter((f) => imageTypes.has(f.type));
  let { images, problem }: { images: string[]; problem?: FileProblem } = await takeImages(pictures, have);
  const texts: string[] = [];
  const refused: string[] = [];
  let room = mostText;
  for (const file of files) {
    if (pictures.includes(file)) continue;
    const text = await plain(file, Math.max(room, enoughToTell));
    if (text === null) refused.push(file.name);
    else if (file.size > room) problem = "textTooLong";
    else {
      texts.push(fenced(file.name, text));
      room -= file.size;
    }
  }
  return { images, text: texts.join("\n\n"), problem: refused.length > 0 ? "notText" : problem, refused };
}

/** What is said of files that were not taken, or of a part of them. */
export function problemWords(t: Words, { problem, refused }: Taken): string | undefined {
  return problem && (problem === "notText" ? t.notText(refused.join(", ")) : t[problem]);
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

/** The text of a file, or the beginning of one that is longer than `most` bytes; null if it is none. */
async function plain(file: File, most: number): Promise<string | null> {
  try {
    const part = await file.slice(0, most).arrayBuffer();
    const text = new TextDecoder("utf-8", { fatal: true }).decode(part, { stream: file.size > most }); // the cut may part a character
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
