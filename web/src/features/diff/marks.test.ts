import { expect, test } from "vitest";
import { marksOf } from "./marks";

const marked = (before: string, after: string) => {
  const m = marksOf(before, after);
  return (
    m && {
      before: m.before.map(([from, to]) => before.slice(from, to)),
      after: m.after.map(([from, to]) => after.slice(from, to)),
    }
  );
};

test("words that differ are marked, wherever they stand", () => {
  expect(marked("session.flush()", "session.commit()")).toEqual({ before: ["flush"], after: ["commit"] });
  expect(marked("order = create_order(cart, session)", "order = create_order(cart, key, session)")).toEqual({
    before: [],
    after: ["key, "],
  });
  expect(marked("a = one(x) + two(y) + rest", "a = uno(x) + dos(y) + rest")).toEqual({
    before: ["one", "two"],
    after: ["uno", "dos"],
  });
  expect(marked("세션을 저장한다", "세션을 지운다")).toEqual({ before: ["저장한다"], after: ["지운다"] });
});

test("lines with little in common have no marks", () => {
  expect(marksOf("    return order", "    if saved is not None:")).toBeUndefined();
  expect(marksOf("", "x")).toBeUndefined();
});

test("very long lines are marked by what is left between their ends", () => {
  const long = "a".repeat(5_000);
  expect(marksOf(`${long}x${long}`, `${long}yy${long}`)).toEqual({ before: [[5_000, 5_001]], after: [[5_000, 5_002]] });
  const many = Array.from({ length: 900 }, (_, i) => `${i}`)
    .join(" ")
    .slice(0, 1_990);
  expect(marksOf(`x ${many}`, `${many} y`)).toBeUndefined(); // too many pairs of words to compare, though only the ends differ
});
