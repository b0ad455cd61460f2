import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const here = import.meta.dirname;
const source = join(here, "../..");
const css = readFileSync(join(here, "fonts.css"), "utf8");

/** The letters that a face draws, by the name of its file. */
function lettersOf(file: string): Set<number> {
  const face = css.split("@font-face").find((f) => f.includes(`./${file}`))!;
  const ranges = /unicode-range: ([^;]+);/.exec(face)![1]!.split(", ");
  return new Set(
    ranges.flatMap((r) => {
      const [from, to = from] = r
        .slice(2)
        .split("-")
        .map((h) => parseInt(h, 16)) as [number, number?];
      return Array.from({ length: to! - from + 1 }, (_, i) => from + i);
    }),
  );
}

test("every syllable of the Korean words is in the font of the words", () => {
  const has = lettersOf("korean.woff2");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith("words.ts"));
  const used = new Set(
    files.flatMap((f) => [...readFileSync(join(source, f), "utf8")].filter((c) => c >= "가" && c <= "힣")),
  );
  expect(used.size).toBeGreaterThan(300);
  expect([...used].filter((c) => !has.has(c.codePointAt(0)!)).join(""), "run src/ui/fonts/make.py").toBe("");
});

test("the Latin fonts weigh at most 60 KiB, and no face blocks the text", () => {
  const kib = (f: string) => statSync(join(here, f)).size / 1024;
  expect(kib("inter.woff2") + kib("mono.woff2")).toBeLessThanOrEqual(60);
  expect(kib("korean.woff2")).toBeLessThanOrEqual(64);
  expect(css.match(/font-display: swap/g)).toHaveLength(css.match(/@font-face/g)!.length);
});
