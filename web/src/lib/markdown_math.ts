import type { TokenizerAndRendererExtension, Tokens } from "marked";
import { escapeHtml } from "./markdown_escape";

/*
 * Formulas: $$…$$ and \[…\] stand for themselves, \(…\) and $…$ in a line. A
 * dollar is mostly money or a variable of a shell, so one opens only before what
 * is no space, and closes only behind such, with no letter or digit after it.
 */
const block = /^ {0,3}(?:\$\$(?!\$)([\s\S]{1,5000}?)\$\$|\\\[([\s\S]{1,5000}?)\\\])[ \t]*(?:\n+|$)/;
const display = /^(?:\$\$(?!\$)([^\n]{1,2000}?)\$\$|\\\[([^\n]{1,2000}?)\\\])/;
const inline =
  /^(?:\$(?![\s$\d]*[\s,.)]|[\s$])((?:\\.|[^$\\\n`]){1,1000}?)(?<![\s\\])\$(?![\p{L}\p{N}$])|\\\(([^\n]{1,2000}?)\\\))/u;

export const blockMath: TokenizerAndRendererExtension = {
  name: "blockMath",
  level: "block",
  start: (src) => {
    const at = src.search(/(?:^|\n) {0,3}(?:\$\$|\\\[)/);
    return at < 0 ? undefined : at;
  },
  tokenizer(src): Tokens.Generic | undefined {
    const m = block.exec(src);
    const text = (m?.[1] ?? m?.[2])?.trim();
    return text ? { type: "blockMath", raw: m![0], text } : undefined;
  },
  renderer: (token) => `<p><code class="math-block">${escapeHtml(String(token.text))}</code></p>`,
};

export const inlineMath: TokenizerAndRendererExtension = {
  name: "inlineMath",
  level: "inline",
  start: (src) => {
    const at = src.search(/\$|\\[([]/);
    return at < 0 ? undefined : at;
  },
  tokenizer(src): Tokens.Generic | undefined {
    const shown = display.exec(src);
    const m = shown ?? inline.exec(src);
    const text = (m?.[1] ?? m?.[2])?.trim();
    return text ? { type: "inlineMath", raw: m![0], text, display: !!shown } : undefined;
  },
  renderer: (token) =>
    `<code class="${token.display ? "math-block" : "math"}">${escapeHtml(String(token.text))}</code>`,
};
