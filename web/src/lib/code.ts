/*
 * A light hand for colours in code: comments, strings, numbers and the common
 * words of common languages. It does not understand; it only makes code easier
 * to read, without a megabyte of grammars.
 */
export type CodeKind = "plain" | "comment" | "string" | "number" | "word" | "added" | "removed" | "head";

export interface CodePiece {
  kind: CodeKind;
  text: string;
}

interface Family {
  comment: string; // as a regular expression
  string: string;
  words: Set<string>;
}

const list = (s: string) => new Set(s.split(" "));
const quotes = `"(?:[^"\\\\\\n]|\\\\.)*"?|'(?:[^'\\\\\\n]|\\\\.)*'?`;

const c: Family = {
  comment: "//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)",
  string: `${quotes}|\`(?:[^\`\\\\]|\\\\.)*\`?`,
  words: list(
    "as async await break case catch class const continue default defer delete do else enum export extends fallthrough false final finally fn for func function go goto if impl implements import in instanceof interface let loop map match mod move mut new nil null of override package private protected pub public range readonly return self select static struct super switch this throw trait true try type typeof undefined unsafe use val var void where while yield bool byte char error float64 int int64 string uint any number boolean unknown never",
  ),
};
const script: Family = {
  comment: "#[^\\n]*",
  string: `"""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|${quotes}`,
  words: list(
    "and as assert async await begin break case class continue def del do done elif else elsif end ensure esac except export false False fi finally for from function global if import in is lambda local match module None nonlocal not or pass raise require rescue return self set source then true True try unless until while with yield echo exit",
  ),
};
const sql: Family = {
  comment: "--[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)",
  string: quotes,
  words: list(
    "select from where and or not null insert into values update set delete create table index view drop alter add primary key foreign references join left right inner outer on as group by order having limit offset union all distinct case when then else end begin commit rollback with returning exists between like in is",
  ),
};
const data: Family = { comment: "#[^\\n]*|//[^\\n]*", string: quotes, words: list("true false null yes no") };

const families: Record<string, Family> = {};
const name = (family: Family, names: string) => names.split(" ").forEach((n) => (families[n] = family));
name(c, "go golang c h cpp c++ cc cs csharp java js jsx javascript mjs ts tsx typescript rust rs swift kotlin kt scala php dart proto css scss less zig");
// In a shell a comment begins a word: ${1#*.} has none.
const shell: Family = { ...script, comment: "(?<![^\\s;&|()])#[^\\n]*" };
name(shell, "sh bash zsh shell console fish make makefile dockerfile");
name(script, "py python rb ruby perl r elixir ex");
name(sql, "sql psql mysql sqlite lua haskell hs");
name(data, "json jsonc yaml yml toml ini conf env properties hcl tf");

const longest = 60_000;

/** Code in pieces of one kind each; joined, they are the code. */
export function piecesOf(code: string, lang: string): CodePiece[] {
  if (lang === "diff" || lang === "patch") return diffPieces(code);
  const family = families[lang];
  if (!family || code.length > longest) return [{ kind: "plain", text: code }];
  const pattern = new RegExp(`(${family.comment})|(${family.string})|(\\b\\d[\\w.]*)|([A-Za-z_]\\w*)`, "g");
  const anyCase = family === sql;
  const pieces: CodePiece[] = [];
  let at = 0;
  for (const m of code.matchAll(pattern)) {
    const kind = m[1] ? "comment" : m[2] ? "string" : m[3] ? "number" : family.words.has(anyCase ? m[4]!.toLowerCase() : m[4]!) ? "word" : "plain";
    if (kind === "plain") continue;
    if (m.index > at) pieces.push({ kind: "plain", text: code.slice(at, m.index) });
    pieces.push({ kind, text: m[0] });
    at = m.index + m[0].length;
  }
  if (at < code.length) pieces.push({ kind: "plain", text: code.slice(at) });
  return pieces;
}

function diffPieces(code: string): CodePiece[] {
  return code.split(/(?<=\n)/).map((text) => ({ kind: diffKind(text), text }));
}

function diffKind(line: string): CodeKind {
  if (line.startsWith("@@") || line.startsWith("+++") || line.startsWith("---")) return "head";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "plain";
}
