// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "vite";
import { expect, test } from "vitest";

/** Words that people stumbled over; internal/layers keeps them out of the server's texts. */
const habits =
  /\bshall\b|\byour yes\b|\b(go|goes|going) on\b|\b(is|are) asked about\b|\ba (yes|no) (allows|lets|ends|counts|is|tries)\b|, too[.”"]?$|, too\b[.,;:)]|\bnobody knows whether\b|\btaken back\b|\bgone back\b|\bnothing fits\b/i;

const source = import.meta.dirname;
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((f) =>
  /(words|ends|labels)\.ts$/i.test(f),
);

/** Every text of a file: strings, and the fixed parts of templates. */
function textsOf(file: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    const n = node as Record<string, unknown> & { type?: string; value?: unknown };
    if (n.type === "Literal" && typeof n.value === "string") found.push(n.value);
    if (n.type === "TemplateElement") found.push((n.value as { cooked: string }).cooked);
    for (const [key, value] of Object.entries(n)) if (key !== "value" || n.type === "Property") visit(value);
  };
  visit(parseAst(readFileSync(join(source, file), "utf8"), { lang: "ts" }));
  return found;
}

test("no text has the habits that people stumbled over", () => {
  const texts = files.flatMap((f) => textsOf(f).map((text) => ({ file: f, text })));
  expect(texts.length).toBeGreaterThan(2000);
  expect(texts.filter(({ text }) => habits.test(text)).map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});
