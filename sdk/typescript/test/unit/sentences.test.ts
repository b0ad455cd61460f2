import { fileURLToPath } from "node:url";
import { parseAst } from "vite";
import { expect, test } from "vitest";
import { judge, matchesIn, sentencesIn, type Parse } from "../sentences.js";

const parse = parseAst as unknown as Parse;

test.each([
  ['m.text === "interrupted"', 1],
  ['(m.text ?? "").includes("interrupted")', 1],
  ["/^run: /.test(m.text!)", 1],
  ['const said = m.tool?.error ?? ""; said.trim().startsWith("no")', 1],
  ['const { reason } = d; if ("failed" == reason) {}', 1],
  ['const stopped = "by the user"; m.tool.error === stopped', 1],
  ['switch (d.reason) { case "failed": }', 1],
  ["words[q.why]", 1],
  ["known.has(m.agent_id)", 1],
  [
    'm.text === ""; m.text !== undefined; m.text === other.text; m.text.split("\\n"); store.message(id).tool; m.say === "text"',
    0,
  ],
])("%s has %i", (code, count) => {
  expect(matchesIn(parse(code, { lang: "ts" }) as never)).toHaveLength(count);
});

/** What looks all the same, and why that is right. */
const closes = [
  'reason !== "TAKEN_OVER"',
  'reason === "TOO_SLOW"',
  'reason === "TOKEN_EXPIRED"',
  'reason === "RATE_LIMITED"',
  'reason === "SESSION_DAMAGED"',
  'reason === "TAKEN_OVER"',
  'reason === "STOPPING"',
];
const allowed = Object.fromEntries(
  closes.map((code) => [`ending.ts: ${code}`, "the reason of a close is a code of the protocol's"]),
);
allowed["ask.ts: said.startsWith(told)"] = "it finds what a text has come further, not what it means";

test("no source of the client matches a server's sentence", () => {
  const found = sentencesIn(fileURLToPath(new URL("../../src", import.meta.url)), parse);
  expect(judge(found, allowed)).toEqual({ matches: [], unused: [] });
});

test("an exception that nothing needs is told", () => {
  expect(judge([{ file: "a.ts", code: "x" }], { "b.ts: y": "no longer there" })).toEqual({
    matches: ["a.ts: x"],
    unused: ["b.ts: y"],
  });
});
