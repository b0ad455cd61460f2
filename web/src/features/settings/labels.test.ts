// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { choiceWords, groupWords, labelWords } from "./labels";

/** The server's settings, from the reference page that is made from its table. */
function settingsOfServer(): { group: string; key: string; choices: string[] }[] {
  const page = readFileSync(new URL("../../../../docs/settings.md", import.meta.url), "utf8");
  return page
    .split("\n## ")
    .slice(1)
    .flatMap((part) => {
      const group = part.slice(0, part.indexOf("\n"));
      return [
        ...part.matchAll(/^\| `([a-z_]+)` \| `(.*?)` \| (.*?) \| .* \| (?:free|stricter|no) \| (?:yes|no) \|$/gm),
      ].map(([, key, fallback, values]) => ({
        group,
        key: key!,
        choices:
          /^"/.test(fallback!) && /^(`\w+`(, )?)+(or empty)?$/.test(values!)
            ? [...values!.matchAll(/`(\w+)`/g)].map((m) => m[1]!)
            : [],
      }));
    });
}

test("every setting has a label and a help text in both languages, and nothing else has", () => {
  const keys = settingsOfServer().map((s) => s.key);
  expect(keys.length).toBeGreaterThan(80);
  for (const language of ["en", "ko"] as const) {
    expect(Object.keys(labelWords[language]).sort(), language).toEqual([...keys].sort());
    for (const [key, { label, help }] of Object.entries(labelWords[language])) {
      expect(label && help, `${language} ${key}`).toBeTruthy();
      if (language === "ko") expect(`${label} ${help}`, key).toMatch(/[가-힣]/);
    }
  }
});

test("so have the values of choices, and the groups", () => {
  const all = settingsOfServer();
  const choices = all.filter((s) => s.choices.length > 0);
  expect(choices.map((s) => s.key).sort()).toEqual(Object.keys(choiceWords.en).sort());
  for (const language of ["en", "ko"] as const) {
    for (const s of choices)
      expect(
        Object.keys(choiceWords[language][s.key] ?? {})
          .filter((v) => v !== "")
          .sort(),
        `${language} ${s.key}`,
      ).toEqual([...s.choices].sort());
    expect(Object.keys(groupWords[language]).sort()).toEqual([...new Set(all.map((s) => s.group))].sort());
  }
});
