/*
 * What a terminal would show of a program's output, as pieces of text with a look.
 * Colours become the few of this page; all that moves a cursor is left out.
 */
export interface AnsiPiece {
  text: string;
  look: string;
}

interface Pen {
  bold: boolean;
  dim: boolean;
  under: boolean;
  colour: string;
}

const colours = ["text-soft", "text-fail", "text-add", "text-ask", "text-run", "text-run", "text-run", ""];
const plain: Pen = { bold: false, dim: false, under: false, colour: "" };

// CSI, OSC (ended by BEL or ST) and single escapes. An unfinished one at the end goes, too.
const escapes = /\x1b(?:\[([\d;:]*)([ -/]*[@-~]|$)|\][^\x07\x1b]*(?:\x07|\x1b\\|$)|[@-Z\\^_]|[ -/]+.|$)/g;
const controls = /[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]/g;

/** A line that was written over, as progress bars do, is what it was last. */
function overwritten(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => {
      const parts = line.replace(/\r+$/, "").split("\r");
      return parts.at(-1) ?? "";
    })
    .join("\n");
}

export function ansiPieces(given: string): AnsiPiece[] {
  const text = overwritten(given);
  if (!text.includes("\x1b")) return text === "" ? [] : [{ text: text.replace(controls, ""), look: "" }];
  const pieces: AnsiPiece[] = [];
  let pen = plain;
  let at = 0;
  const put = (s: string) => {
    const shown = s.replace(controls, "");
    if (shown === "") return;
    const look = lookOf(pen);
    const last = pieces.at(-1);
    if (last?.look === look) last.text += shown;
    else pieces.push({ text: shown, look });
  };
  for (const m of text.matchAll(escapes)) {
    put(text.slice(at, m.index));
    at = m.index + m[0].length;
    if (m[2] === "m") pen = turned(pen, m[1] ?? "");
  }
  put(text.slice(at));
  return pieces;
}

/** The text alone. */
export function withoutAnsi(text: string): string {
  return ansiPieces(text)
    .map((p) => p.text)
    .join("");
}

function turned(pen: Pen, codes: string): Pen {
  const list = codes.split(/[;:]/).map((c) => Number(c || 0));
  let next = { ...pen };
  for (let i = 0; i < list.length; i++) {
    const c = list[i]!;
    if (c === 0) next = { ...plain };
    else if (c === 1) next.bold = true;
    else if (c === 2) next.dim = true;
    else if (c === 4) next.under = true;
    else if (c === 22) next.bold = next.dim = false;
    else if (c === 24) next.under = false;
    else if (c >= 30 && c <= 37) next.colour = colours[c - 30]!;
    else if (c >= 90 && c <= 97) next.colour = colours[c - 90]!;
    else if (c === 39) next.colour = "";
    else if (c === 38 || c === 48) {
      const kind = list[i + 1];
      if (c === 38)
        next.colour =
          kind === 5 ? ofTable(list[i + 2] ?? 7) : ofRgb(list[i + 2] ?? 0, list[i + 3] ?? 0, list[i + 4] ?? 0);
      i += kind === 5 ? 2 : 4;
    }
  }
  return next;
}

function ofTable(n: number): string {
  if (n < 16) return colours[n % 8]!;
  if (n >= 232) return n < 248 ? "text-soft" : "";
  const v = n - 16;
  return ofRgb(Math.floor(v / 36) * 51, (Math.floor(v / 6) % 6) * 51, (v % 6) * 51);
}

function ofRgb(r: number, g: number, b: number): string {
  const most = Math.max(r, g, b);
  if (most - Math.min(r, g, b) < 40) return most < 170 ? "text-soft" : "";
  if (r === most) return g > 0.6 * r ? "text-ask" : "text-fail";
  return g === most && b < 0.7 * g ? "text-add" : "text-run";
}

function lookOf(pen: Pen): string {
  return [pen.colour || (pen.dim ? "text-soft" : ""), pen.bold && "font-semibold", pen.under && "underline"]
    .filter(Boolean)
    .join(" ");
}
