import { expect, test } from "vitest";
import { smallest } from "@/features/windows/place";
import { tiles } from "./tiles";

test("tidied windows fill the area side by side and never overlap", () => {
  for (const room of [
    { w: 1330, h: 700 },
    { w: 860, h: 900 },
    { w: 2480, h: 1200 },
  ]) {
    for (let n = 1; n <= 8; n++) {
      const list = tiles(n, room);
      expect(list).toHaveLength(n);
      for (const [i, a] of list.entries()) {
        expect(a.x >= 0 && a.y >= 0 && a.x + a.w <= room.w && a.y + a.h <= room.h, JSON.stringify(a)).toBe(true);
        for (const b of list.slice(i + 1))
          expect(
            a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y,
            `${n} in ${room.w}`,
          ).toBe(true);
      }
    }
  }
  expect(tiles(4, { w: 970, h: 780 }).map((b) => b.x)).toEqual([20, 20, 493, 493]); // two columns of two
  expect(new Set(tiles(4, { w: 2030, h: 1270 }).map((b) => b.h))).toEqual(new Set([607])); // on a large screen as well, none as high as the screen
  expect(tiles(1, { w: 2030, h: 1270 })).toEqual([{ x: 20, y: 20, w: 1200, h: 900 }]); // nor one alone as large
});

test("where there is too little room, windows lie over each other, a step lower each", () => {
  const room = { w: 474, h: 578 };
  for (const n of [4, 8, 16]) {
    const list = tiles(n, room);
    for (const [i, b] of list.entries()) {
      expect(
        b.x >= 0 && b.y >= 0 && b.x + b.w <= room.w && b.y + b.h <= room.h && b.h >= smallest.h,
        JSON.stringify(b),
      ).toBe(true);
      if (i > 0) expect(b.y - list[i - 1]!.y).toBeGreaterThanOrEqual(n === 4 ? 37 : 20);
    }
  }
  expect(tiles(2, room).map((b) => b.h)).toEqual([261, 261]); // two have room
});
