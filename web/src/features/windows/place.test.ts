import { expect, test } from "vitest";
import { dragged, firstPlace, fit, smallest } from "./place";

const area = { w: 1000, h: 600 };
const at = { x: 100, y: 100, w: 400, h: 300 };

test("a window is shown whole, wherever it was put", () => {
  expect(fit({ x: 5000, y: -50, w: 400, h: 300 }, area)).toEqual({ x: 600, y: 0, w: 400, h: 300 });
  expect(fit({ x: 0, y: 0, w: 9000, h: 9000 }, area)).toEqual({ x: 0, y: 0, w: 1000, h: 600 });
  expect(fit({ x: 0, y: 0, w: 1, h: 1 }, area)).toEqual({ x: 0, y: 0, ...smallest });
  expect(fit(at, { w: 150, h: 100 })).toEqual({ x: 0, y: 0, w: 150, h: 100 });
});

test("new windows lie at the right and do not cover each other whole", () => {
  const places = [0, 1, 2].map((i) => firstPlace(i, area));
  expect(new Set(places.map((p) => `${p.x},${p.y}`)).size).toBe(3);
  expect(places[0]!.x + places[0]!.w).toBe(area.w - 24);
});

test("edges move, and the opposite ones stay", () => {
  expect(dragged(at, "", 50, -20, area)).toEqual({ ...at, x: 150, y: 80 });
  expect(dragged(at, "se", 50, 20, area)).toEqual({ ...at, w: 450, h: 320 });
  expect(dragged(at, "nw", 50, 20, area)).toEqual({ x: 150, y: 120, w: 350, h: 280 });
  expect(dragged(at, "w", 900, 0, area)).toEqual({ ...at, x: 500 - smallest.w, w: smallest.w });
  expect(dragged(at, "e", 5000, 0, area)).toEqual({ ...at, w: 900 });
  expect(dragged(at, "n", 0, -5000, area)).toEqual({ ...at, y: 0, h: 400 });
});
