import type { RewindPreviewAnswer } from "@clew-run/client";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { setPrefs } from "@/app/prefs";
import { Summary } from "./Summary";

afterEach(cleanup);

const rule = (id: string, tool: string, pattern?: string) => ({ id, task_id: "task_1", tool, pattern, ts: 1 });
const preview = (forgotten?: RewindPreviewAnswer["forgotten"]): RewindPreviewAnswer => ({
  from_message_id: "msg_1",
  keep_target: false,
  count: 1,
  removed_message_ids: ["msg_1"],
  forgotten,
});

test("what will be asked about again is named, in both languages", () => {
  setPrefs({ language: "en" });
  const view = render(
    <Summary preview={preview([rule("a", "execute_command", "go test *"), rule("b", "write_file")])} />,
  );
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

test("what becomes of kernels is said, in both languages", () => {
  setPrefs({ language: "en" });
  const kernels = [
    { notebook_id: "a", path: "a.ipynb", policy: "ask", cells: 2, duration_ms: 10 },
    { notebook_id: "b", path: "b.ipynb", policy: "rerun", cells: 2, duration_ms: 10 },
    { notebook_id: "c", policy: "a later one", cells: 0, duration_ms: 0 },
    { notebook_id: "d", path: "d.ipynb", cells: 0, duration_ms: 0, ends: true },
  ] as RewindPreviewAnswer["kernels"];
  render(<Summary preview={{ ...preview(), kernels }} />);
  const said = () => screen.getAllByRole("listitem").map((li) => li.textContent);
  expect(said()).toEqual(
    expect.arrayContaining([
      "The kernel of a.ipynb can't go back: you'll be asked what happens to it.",
      "The kernel of b.ipynb can't go back: a fresh one runs 2 cells again.",
      "The kernel of the notebook can't go back: ",
      "The kernel of d.ipynb is shut down.",
    ]),
  );
  cleanup();
  setPrefs({ language: "ko" });
  render(<Summary preview={{ ...preview(), kernels: kernels!.slice(1, 2) }} />);
  expect(said()).toContain("b.ipynb의 커널은 되돌릴 수 없습니다: 새 커널에서 셀 2개를 다시 실행합니다.");
});
