import type { Token, TokensList } from "marked";
import remend from "remend";
import { clean, marked, type CleanHtml } from "./markdown_render";

/** A part of a text that stands for itself: once settled it is never made again. */
export type Block =
  | { readonly kind: "html"; readonly raw: string; readonly html: CleanHtml }
  | { readonly kind: "code"; readonly raw: string; readonly lang: string; readonly text: string }
  | { readonly kind: "math"; readonly raw: string; readonly text: string }
  | { readonly kind: "diagram"; readonly raw: string; readonly text: string }
  | { readonly kind: "plain"; readonly raw: string };

const longest = 256 * 1024; // characters; beyond that a text is shown as it is
const longestLine = 8_000;
const longestParagraph = 16_000;
// Shapes that make a parser of Markdown work for minutes and mean nothing to a reader.
const deep = /^[ \t]*(?:>[ \t]?){16}|[[(!<*_`~>]{64}|^(?:[ \t]*[-+*][ \t]+){16}|^[ \t]{200}/m;

function tooMuch(text: string): boolean {
  if (text.length > longest || deep.test(text)) return true;
  let paragraph = 0;
  let fenced = false;
  for (const line of text.split("\n")) {
    if (line.length > longestLine) return true;
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    paragraph = fenced || line.trim() === "" ? 0 : paragraph + line.length;
    if (paragraph > longestParagraph) return true;
  }
  return false;
}

function blockOf(token: Token): Block {
  if (token.type === "code") {
    const lang = language(token.lang ?? "");
    const drawn = lang === "mermaid" ? "diagram" : lang === "math" ? "math" : null;
    return drawn
      ? { kind: drawn, raw: token.raw, text: token.text }
      : { kind: "code", raw: token.raw, lang, text: token.text };
  }
  if (token.type === "blockMath") return { kind: "math", raw: token.raw, text: String(token.text) };
  try {
    return { kind: "html", raw: token.raw, html: clean(marked.parser([token])) };
  } catch {
    return { kind: "plain", raw: token.raw };
  }
}

function language(info: string): string {
  return /^[\w+#.-]{1,20}/.exec(info)?.[0].toLowerCase() ?? "";
}

function lex(text: string): TokensList | null {
  try {
    return marked.lexer(text);
  } catch {
    return null;
  }
}

const definition = /^ {0,3}\[[^\]\n]{1,200}\]:/m;
const silent = new Set(["space", "def"]);

/**
 * A text that grows, as blocks. Only its end is looked at again when more comes:
 * all before the last two blocks is settled, and stays the same objects.
 */
export class MarkdownText {
  #settled: Block[] = [];
  #settledLength = 0;
  #text = "";
  #blocks: readonly Block[] = [];

  /** The blocks of `text`. While it grows, what is open at its end is closed for show. */
  update(given: string, growing: boolean): readonly Block[] {
    const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
    // A reference may be defined after its use: then the end makes all of it anew.
    if (!growing && definition.test(text)) this.#reset();
    if (!text.startsWith(this.#text.slice(0, this.#settledLength))) this.#reset();
    this.#text = text;
    if (tooMuch(growing ? text.slice(this.#settledLength) : text)) {
      this.#reset();
      this.#text = text;
      return (this.#blocks = [{ kind: "plain", raw: text }]);
    }
    const looked = growing ? this.#settle(text) : null;
    const tail = text.slice(this.#settledLength);
    const mended = growing ? mend(tail) : tail;
    const tokens = looked?.text === mended ? looked.tokens : lex(mended);
    const open = tokens
      ? blocksOf(tokens, this.#blocks.slice(this.#settled.length))
      : [{ kind: "plain" as const, raw: tail }];
    return (this.#blocks = [...this.#settled, ...open]);
  }

  /** Moves all but the last two tokens to those that are done, and gives what it found if there was nothing to move. */
  #settle(text: string): { text: string; tokens: TokensList } | null {
    const tail = text.slice(this.#settledLength);
    const tokens = lex(tail);
    if (!tokens) return null;
    const told = tokens.filter((t) => !silent.has(t.type));
    const last = told.at(-2);
    const before = last ? tokens.slice(0, tokens.indexOf(last)) : [];
    if (!before.some((t) => !silent.has(t.type))) return { text: tail, tokens };
    this.#settled = [...this.#settled, ...blocksOf(before, this.#blocks.slice(this.#settled.length))];
    this.#settledLength += before.reduce((n, t) => n + t.raw.length, 0);
    return null;
  }

  #reset(): void {
    this.#blocks = [];
    this.#settled = [];
    this.#settledLength = 0;
  }
}

/** Blocks of tokens; one that was there before with the same text is that one. */
function blocksOf(tokens: readonly Token[], before: readonly Block[]): Block[] {
  const told = tokens.filter((t) => !silent.has(t.type));
  return told.map((t, i) => (before[i] && before[i].raw === t.raw ? before[i] : blockOf(t)));
}

function mend(text: string): string {
  try {
    return remend(text, { linkMode: "text-only" });
  } catch {
    return text;
  }
}

const known = new Map<string, readonly Block[]>(); // of texts that are done, so that scrolling back costs nothing

/** The blocks of a text that is whole. */
export function blocksOfText(text: string): readonly Block[] {
  const found = known.get(text);
  if (found) return found;
  const blocks = new MarkdownText().update(text, false);
  known.set(text, blocks);
  if (known.size > 300) known.delete(known.keys().next().value!);
  return blocks;
}
