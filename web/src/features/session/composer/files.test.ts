import { expect, test } from "vitest";
import { fenced, mostText, problemWords, takeFiles, withFiles } from "./files";
import { composerWords } from "./words";

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
  const { en } = composerWords;
  const binary = await takeFiles(
    [
      file("a.bin", new Uint8Array([0, 1, 255])),
      file("b.heic", new Uint8Array([255]), "image/heic"),
      file("c.txt", "words"),
    ],
    [],
  );
  expect(binary).toMatchObject({ text: "c.txt:\n```\nwords\n```", problem: "notText", refused: ["a.bin", "b.heic"] });
  expect(problemWords(en, binary)).toMatch(/^a\.bin, b\.heic can't be attached\. You can attach images \(PNG/);
  const large = new Uint8Array(mostText * 3).fill(37); // long, and no text: its length is not the reason
  large[100] = 0;
  expect(await takeFiles([file("report.pdf", large, "application/pdf")], [])).toMatchObject({
    problem: "notText",
    refused: ["report.pdf"],
  });
  const korean = await takeFiles([file("a.txt", `a${"가".repeat(mostText)}`)], []); // the cut parts a character
  expect(korean).toMatchObject({ problem: "textTooLong", refused: [] });
  expect(problemWords(en, korean)).toBe(en.textTooLong);
  expect(await takeFiles([file("a.txt", "x".repeat(mostText + 1))], [])).toMatchObject({
    text: "",
    problem: "textTooLong",
  });
});
