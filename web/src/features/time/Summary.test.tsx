import type { RewindPreviewAnswer } from "@clew-run/client";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { setPrefs } from "@/app/prefs";
import { Summary } from "./Summary";

afterEach(cleanup);

const rule = (id: string, tool: string, pattern?: string) => ({ id, task_id: "task_1", tool, pattern, ts: 1 });
const preview = (forgotten?: RewindPreviewAnswer["forgotten"]): RewindPreviewAnswer => ({ from_message_id: "msg_1", keep_target: false, count: 1, removed_message_ids: ["msg_1"], forgotten });

test("what will be asked about again is named, in both languages", () => {
  setPrefs({ language: "en" });
  const view = render(<Summary preview={preview([rule("a", "execute_command", "go test *"), rule("b", "write_file")])} />);
  const said = () => screen.getByRole("list").querySelector("[data-forgotten]")?.textContent;
  expect(said()).toBe("No longer allowed without asking: Run go test *, Write. Undo does not bring this back.");
  view.rerender(<Summary preview={preview(["1", "2", "3", "4", "5", "6", "7"].map((n) => rule(n, "edit")))} />);
  expect(said()).toContain("Edit and 2 more.");
  view.rerender(<Summary preview={preview()} />);
  expect(said()).toBeUndefined();
  cleanup();
  setPrefs({ language: "ko" });
  render(<Summary preview={preview([rule("a", "execute_command", "go test *")])} />);
  expect(said()).toBe("앞으로 다시 묻는 일: 실행 go test *. 되돌리기를 취소해도 이 승인은 복원되지 않습니다.");
});

test("todos that are not named are counted", () => {
  setPrefs({ language: "en" });
  const todos = ["Look", "Left", "Right", "Join"].map((task, i) => ({ id: String(i), task }));
  render(<Summary preview={{ ...preview(), todos } as RewindPreviewAnswer} />);
  screen.getByText("4 steps change: Look, Left, Right and 1 more");
});
