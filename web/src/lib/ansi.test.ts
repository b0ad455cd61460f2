import { expect, test } from "vitest";
import { ansiPieces, withoutAnsi } from "./ansi";

test("colours become the page's own", () => {
  expect(ansiPieces("\x1b[31mFAIL\x1b[0m ok \x1b[1;32mgo\x1b[m")).toEqual([
    { text: "FAIL", look: "text-fail" },
    { text: " ok ", look: "" },
    { text: "go", look: "text-add font-semibold" },
  ]);
  expect(ansiPieces("\x1b[38;5;196mred\x1b[39m \x1b[38;2;10;200;10mgreen")[0]!.look).toBe("text-fail");
});

test("what moves the cursor, names windows or links is left out", () => {
  expect(withoutAnsi("a\x1b[2K\x1b[1Gb\x1b]0;title\x07c\x1b]8;;https://x\x1b\\d\x1b(Be")).toBe("abcde");
  expect(withoutAnsi("half \x1b[3")).toBe("half ");
  expect(withoutAnsi("bell\x07 back\x08")).toBe("bell back");
});

test("a line written over shows its last state", () => {
  expect(withoutAnsi("10%\r50%\r100%\ndone\r\n")).toBe("100%\ndone\n");
});

test("hostile text stays text", () => {
  expect(withoutAnsi("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>");
});
