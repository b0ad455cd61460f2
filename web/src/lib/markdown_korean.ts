import type { TokenizerAndRendererExtension, Tokens } from "marked";

/*
 * CommonMark closes emphasis after punctuation only before a space or more
 * punctuation, so **세션(session)**을 would print its asterisks: Korean particles
 * follow without a space. Where the letters are Korean, Chinese or Japanese the
 * asterisks are taken as meant.
 */
const cjk = "\\p{Script=Hangul}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const closes = new RegExp(`^(\\*{1,2})(?![\\s*])((?:[^*\\\\\\n]|\\\\.)*[\\p{P}\\p{S}])\\1(?=[${cjk}])`, "u");
const opens = new RegExp(
  `^(\\*\\*)(?=[\\p{P}\\p{S}])(?!\\*)((?:[^*\\\\\\n]|\\\\.)*[${cjk}](?:[^*\\\\\\n]|\\\\.)*)\\1`,
  "u",
);

export const emphasisMend: TokenizerAndRendererExtension = {
  name: "emphasisMend",
  level: "inline",
  start: (src) => {
    const at = src.indexOf("*");
    return at < 0 ? undefined : at;
  },
  tokenizer(src): Tokens.Generic | undefined {
    if (src[0] !== "*") return undefined;
    const line = src.slice(0, 2000); // emphasis longer than this is none
    const m = closes.exec(line) ?? opens.exec(line);
    if (!m || /\s$/.test(m[2]!)) return undefined;
    const strong = m[1] === "**";
    return { type: "emphasisMend", raw: m[0], strong, tokens: this.lexer.inlineTokens(m[2]!) };
  },
  renderer(token) {
    const inner = this.parser.parseInline(token.tokens ?? []);
    return token.strong ? `<strong>${inner}</strong>` : `<em>${inner}</em>`;
  },
};
