import { expect, test } from "vitest";
import { plainYesNo } from "./plainYesNo";

test("a yes is told from words, in the languages of the people who use clew most", () => {
  for (const text of [
    "yes",
    " Y ",
    "OK.",
    "okay!",
    "Go ahead",
    "looks good",
    "LGTM!!",
    "네",
    "예.",
    "좋아요",
    "Yes, go ahead!",
    "yes please",
    "ok, looks good to me.",
    "진행해 주세요",
    "yes yes",
    "'yes'",
  ]) {
    expect(plainYesNo(text), text).toBe("yes");
  }
  for (const text of ["no", "N", "Nope.", "don't", "Don’t do it!", "아니요", "안 돼요", "no thanks"])
    expect(plainYesNo(text), text).toBe("no");
});

test("words that say more are no plain answer", () => {
  for (const text of [
    "",
    "  ",
    "...",
    "please",
    "yes but use make",
    "no, use make",
    "yes?",
    "no go",
    "yes no",
    "yesterday",
    "go test ./...",
    "go on with the other file",
    "not that one",
    "네 그런데 이름을 바꿔 주세요",
    "yes yes yes yes yes yes yes",
  ]) {
    expect(plainYesNo(text), text).toBeNull();
  }
});
