/*
 * How code is coloured: a list of parts, three numbers each (from, to, kind),
 * in order and apart from each other. Numbers, since they cross from the worker
 * to the page at no cost, however long the code is.
 */
export const kinds = ["key", "str", "num", "com", "fn", "add", "del"] as const;
export type CodeKind = (typeof kinds)[number];
export type Colours = Uint32Array;

const kindOf: Record<string, CodeKind> = {
  keyword: "key",
  literal: "key",
  name: "key",
  "selector-tag": "key",
  "variable.language": "key",
  tag: "com",
  string: "str",
  regexp: "str",
  char: "str",
  link: "str",
  code: "str",
  number: "num",
  symbol: "num",
  bullet: "num",
  comment: "com",
  quote: "com",
  meta: "com",
  doctag: "com",
  title: "fn",
  built_in: "fn",
  attr: "fn",
  attribute: "fn",
  section: "fn",
  "selector-class": "fn",
  "selector-id": "fn",
  property: "fn",
  addition: "add",
  deletion: "del",
};

/** The tree that highlight.js makes. */
export interface Scope {
  scope?: string;
  children: (Scope | string)[];
}

/** The parts of a tree that have a colour. What stands inside another part has its own. */
export function coloursOf(root: Scope): Colours {
  const found: number[] = [];
  let at = 0;
  const walk = (node: Scope, around: number) => {
    const own = node.scope === undefined ? undefined : (kindOf[node.scope] ?? kindOf[node.scope.split(".")[0]!]);
    const kind = own === undefined ? (node.scope === "subst" ? -1 : around) : kinds.indexOf(own);
    for (const child of node.children) {
      if (typeof child !== "string") {
        walk(child, kind);
        continue;
      }
      if (kind >= 0 && child !== "") {
        const last = found.length - 3;
        if (last >= 0 && found[last + 1] === at && found[last + 2] === kind) found[last + 1] = at + child.length;
        else found.push(at, at + child.length, kind);
      }
      at += child.length;
    }
  };
  walk(root, -1);
  return Uint32Array.from(found);
}

export interface CodePiece {
  text: string;
  kind?: CodeKind;
  marked?: boolean;
}

/**
 * `text`, which stands at `start` in the coloured code, in pieces of one look
 * each; joined, they are the text. Marks are places in the text itself.
 */
export function piecesOf(
  text: string,
  colours: Colours | null,
  start = 0,
  marks: readonly (readonly [number, number])[] = [],
): CodePiece[] {
  const pieces: CodePiece[] = [];
  let mark = 0;
  const add = (from: number, to: number, kind?: CodeKind) => {
    while (from < to) {
      while (mark < marks.length && marks[mark]![1] <= from) mark++;
      const m = marks[mark];
      const marked = m !== undefined && m[0] <= from;
      const end = m === undefined ? to : Math.min(to, marked ? m[1] : m[0]);
      pieces.push({ text: text.slice(from, end), ...(kind && { kind }), ...(marked && { marked }) });
      from = end;
    }
  };
  let at = 0;
  if (colours) {
    for (let i = firstAfter(colours, start); i < colours.length && colours[i]! < start + text.length; i += 3) {
      const from = Math.max(at, colours[i]! - start);
      const to = Math.min(text.length, colours[i + 1]! - start);
      add(at, from);
      add(from, to, kinds[colours[i + 2]!]);
      at = to;
    }
  }
  add(at, text.length);
  return pieces;
}

/** The first part that ends behind `place`. */
function firstAfter(colours: Colours, place: number): number {
  let low = 0;
  let high = colours.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (colours[middle * 3 + 1]! > place) high = middle;
    else low = middle + 1;
  }
  return low * 3;
}
