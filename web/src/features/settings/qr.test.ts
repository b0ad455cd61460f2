import { expect, test } from "vitest";
import { qrMatrix } from "./qr";

const picture = (text: string) => qrMatrix(text).map((row) => row.map((dark) => (dark ? "#" : ".")).join(""));

/** FNV-1a, so that large codes are one number here. */
const sum = (rows: string[]) =>
  [...rows.join("")].reduce((h, c) => Math.imul(h ^ c.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5);

// What is expected here was read back by a decoder of others.
test("a small code, module by module", () => {
  expect(picture("clew")).toEqual([
    "#######.#####.#######",
    "#.....#..#.#..#.....#",
    "#.###.#..##...#.###.#",
    "#.###.#..###..#.###.#",
    "#.###.#...#.#.#.###.#",
    "#.....#....##.#.....#",
    "#######.#.#.#.#######",
    "........#####........",
    "##.##.#..##.#.#.....#",
    "#...#..#....#.#.##...",
    "#.#...#####..##.#####",
    "..##...#..##......###",
    "#.....#.###...#..#.##",
    "........#..##..#.###.",
    "#######.....#######..",
    "#.....#....###.####.#",
    "#.###.#.##.##.##...##",
    "#.###.#.#.###...#.#..",
    "#.###.#..#....#....##",
    "#.....#.#....##.#.###",
    "#######.##.#......#..",
  ]);
});

test("codes of every size", () => {
  const codes = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271].map((n) =>
    picture("https://clew.example.com/#ticket=0123456789abcdef".repeat(6).slice(0, n)),
  );
  expect(codes.map((c) => c.length)).toEqual([21, 25, 29, 33, 37, 41, 45, 49, 53, 57]);
  expect(codes.map(sum)).toEqual([
    1979975885, 3074783697, 456938745, 3511619718, 3456096043, 1733187700, 577762871, 1691447307, 1875891255,
    4205728123,
  ]);
  expect(() => qrMatrix("x".repeat(272))).toThrow(RangeError);
});
