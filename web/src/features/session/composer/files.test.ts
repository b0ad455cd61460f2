import { expect, test } from "vitest";
import { fenced, mostText, takeFiles, withFiles } from "./files";

const file = (name: string, body: BlobPart, type = "") => new File([body], name, { type });

test("texts become blocks of code under their names", async () => {
  const { text, problem } = await takeFiles([file("a.csv", "x,y\n1,2\n", "text/csv"), file("b", "plain")], []);
  expect(text).toBe("a.csv:\n```\nx,y\n1,2\n```\n\nb:\n```\nplain\n```");
  expect(problem).toBeUndefined();
  expect(withFiles("Look ", text)).toBe(`Look\n\n${text}\n`);
});

test("ticks in a text do not end its block", () => {
  expect(fenced("a.md", "```\ncode\n```\n")).toBe("a.md:\n````\n```\ncode\n```\n````");
});

test("what is no text, and what is too long, is not taken", async () => {
  expect(await takeFiles([file("a.bin", new Uint8Array([0, 1, 255]))], [])).toMatchObject({ text: "", problem: "notText" });
  expect(await takeFiles([file("a.txt", "x".repeat(mostText + 1))], [])).toMatchObject({ text: "", problem: "textTooLong" });
});
