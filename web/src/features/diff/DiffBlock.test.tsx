import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { DiffBlock } from "./DiffBlock";

afterEach(cleanup);

const diff = (lines: string[]) =>
  `--- a/x.py\n+++ b/x.py\n@@ -0,0 +1,${lines.length} @@\n${lines.map((l) => `+${l}\n`).join("")}`;

test("its first lines, how many there are, and the way to all of them", async () => {
  const open = vi.fn();
  render(
    <DiffBlock diff={diff(Array.from({ length: 27 }, (_, i) => `line ${i}`))} label="Changes" most={7} onOpen={open} />,
  );
  expect(screen.getByText("7 of 27 lines")).toBeTruthy();
  expect(screen.queryByText("line 7")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Open in Changes" }));
  expect(open).toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Show all" }));
  expect(screen.getByText("line 26")).toBeTruthy();
});

test("characters that deceive the eye are shown by their number", () => {
  render(<DiffBlock diff={diff(["if admin\u202e:"])} label="Changes" most={400} />);
  expect(screen.getByText("U+202E")).toBeTruthy();
});

test("a text that is no difference is shown as it is", () => {
  render(<DiffBlock diff="Binary files differ" label="Changes" most={7} />);
  expect(screen.getByRole("group", { name: "Changes" }).textContent).toBe("Binary files differ");
});
