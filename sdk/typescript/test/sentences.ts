import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** A node of a syntax tree, as ESTree has it. */
interface Node {
  type: string;
  start: number;
  end: number;
  [name: string]: unknown;
}

/** Parses TypeScript, with or without JSX. */
export type Parse = (code: string, options: { lang: "tsx" | "ts" }) => unknown;

/** Where a sentence is looked at, and the code that does so. */
export interface Match {
  file: string;
  code: string;
}

/** What has words for people, or a name that means nothing. */
const wordy = new Set([
  "text",
  "error",
  "reason",
  "message",
  "why",
  "summary",
  "comment",
  "words",
  "output",
  "failed",
  "allowed",
  "doc",
  "agent_id",
]);
/** What looks into a string. Cutting it into lines is no matter of its meaning. */
const lookers = new Set([
  "includes",
  "startsWith",
  "endsWith",
  "indexOf",
  "lastIndexOf",
  "match",
  "matchAll",
  "search",
  "replace",
  "replaceAll",
]);
const testers = new Set(["test", "exec"]);
/** What gives the same words in another form. */
const formers = new Set([
  "trim",
  "trimStart",
  "trimEnd",
  "toLowerCase",
  "toUpperCase",
  "slice",
  "substring",
  "at",
  "toString",
]);

/**
 * Finds where sources match, split or translate a sentence of the server's: a
 * comparison with a literal, a search, a regular expression, a switch, or a look
 * into a table, on a field that has words for people. Local names of such fields
 * count, too.
 */
export function sentencesIn(dir: string, parse: Parse): Match[] {
  return sourcesIn(dir).flatMap((path) => {
    const code = readFileSync(path, "utf8");
    const tree = parse(code, { lang: path.endsWith("x") ? "tsx" : "ts" }) as Node;
    return matchesIn(tree).map((n) => ({
      file: relative(dir, path),
      code: code.slice(n.start, n.end).replace(/\s+/g, " "),
    }));
  });
}

/** Compares what was found with what is allowed: neither may have what the other has not. */
export function judge(
  found: readonly Match[],
  allowed: Readonly<Record<string, string>>,
): { matches: string[]; unused: string[] } {
  const names = new Set(found.map((m) => `${m.file}: ${m.code}`));
  return {
    matches: [...names].filter((n) => !Object.hasOwn(allowed, n)),
    unused: Object.keys(allowed).filter((n) => !names.has(n)),
  };
}

function sourcesIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return /\.tsx?$/.test(entry.name) && !/\.(test|gen)\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function* walk(node: unknown): Generator<Node> {
  if (Array.isArray(node)) for (const n of node) yield* walk(n);
  else if (isNode(node)) {
    yield node;
    for (const value of Object.values(node)) if (typeof value === "object") yield* walk(value);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

export function matchesIn(tree: Node): Node[] {
  const names = new Set<string>();
  const literals = new Set<string>();
  const all = [...walk(tree)];
  for (const n of all)
    if (n.type === "VariableDeclarator" && isPattern(n.init, literals)) literals.add((n.id as Node).name as string);
  // Names may be given before they are seen to be sentences.
  for (let before = -1; before !== names.size;) {
    before = names.size;
    for (const n of all) if (n.type === "VariableDeclarator") named(n.id as Node, n.init, names);
  }
  return all.filter((n) =>
    looksAt(
      n,
      (e) => isSentence(e, names),
      (e) => isPattern(e, literals),
    ),
  );
}

/** Notes which names a declaration gives to sentences. */
function named(id: Node, init: unknown, names: Set<string>): void {
  if (id.type === "Identifier" && isSentence(init, names)) names.add(id.name as string);
  if (id.type !== "ObjectPattern") return;
  for (const p of id.properties as Node[]) {
    const value = p.value as Node | undefined;
    const to = value?.type === "AssignmentPattern" ? (value.left as Node) : value;
    if (wordy.has((p.key as Node | undefined)?.name as string) && to?.type === "Identifier")
      names.add(to.name as string);
  }
}

function isSentence(node: unknown, names: ReadonlySet<string>): boolean {
  if (!isNode(node)) return false;
  const again = (n: unknown): boolean => isSentence(n, names);
  switch (node.type) {
    case "Identifier":
      return names.has(node.name as string);
    case "MemberExpression":
      return !node.computed && wordy.has((node.property as Node).name as string);
    case "ChainExpression":
    case "ParenthesizedExpression":
    case "TSNonNullExpression":
    case "TSAsExpression":
      return again(node.expression);
    case "LogicalExpression":
      return again(node.left) || again(node.right);
    case "ConditionalExpression":
      return again(node.consequent) || again(node.alternate);
    case "CallExpression": {
      const callee = node.callee as Node;
      return (
        callee.type === "MemberExpression" &&
        formers.has((callee.property as Node).name as string) &&
        again(callee.object)
      );
    }
    default:
      return false;
  }
}

/** A string with something in it, a regular expression, a template, or a name of one: what a sentence is held against. */
function isPattern(node: unknown, literals: ReadonlySet<string>): boolean {
  if (!isNode(node)) return false;
  if (node.type === "Identifier") return literals.has(node.name as string);
  return (
    node.type === "TemplateLiteral" ||
    (node.type === "Literal" && ("regex" in node || (typeof node.value === "string" && node.value !== "")))
  );
}

function looksAt(n: Node, sentence: (e: unknown) => boolean, pattern: (e: unknown) => boolean): boolean {
  switch (n.type) {
    case "BinaryExpression":
      return (
        /^[!=]==?$/.test(n.operator as string) &&
        ((sentence(n.left) && pattern(n.right)) || (sentence(n.right) && pattern(n.left)))
      );
    case "SwitchStatement":
      return sentence(n.discriminant);
    case "MemberExpression":
      return n.computed === true && sentence(n.property);
    case "CallExpression": {
      const { type, property, object } = n.callee as Node;
      if (type !== "MemberExpression") return false;
      const name = (property as Node).name as string;
      const [first] = n.arguments as unknown[];
      return (
        (lookers.has(name) && sentence(object)) ||
        (testers.has(name) && sentence(first)) ||
        (name === "has" && sentence(first))
      );
    }
    default:
      return false;
  }
}
