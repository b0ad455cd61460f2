import { expect, test } from "vitest";
import { particle } from "./particle";

test("the particle follows the last sound", () => {
  expect(particle("세션", "을", "를")).toBe("세션을");
  expect(particle("메시지", "을", "를")).toBe("메시지를");
  expect(particle("builder", "이", "가")).toBe("builder이");
  expect(particle("파일 3", "을", "를")).toBe("파일 3을");
  expect(particle("파일 2", "을", "를")).toBe("파일 2를");
  expect(particle("세션 (session)", "을", "를")).toBe("세션 (session)을");
});
