import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { DiffView } from "./DiffView";
import { changeReview } from "./review";

test("a refused review keeps its comments, a taken one does not", async () => {
  changeReview("s1", () => [{ path: "gone.txt", side: "after", line: 3, text: "x", comment: "Why?" }]);
  const send = vi
    .fn<(text: string) => Promise<void>>()
    .mockRejectedValueOnce(new Error("no"))
    .mockResolvedValue(undefined);
  render(<DiffView files={[]} review={{ session: "s1", send }} />);
  await userEvent.click(screen.getByRole("button", { name: "Send to the agent" }));
  expect(screen.getByText("Why?")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Send to the agent" }));
  expect(send).toHaveBeenCalledTimes(2);
  expect(send.mock.calls[1]![0]).toContain("**gone.txt:3** (after)");
  expect(screen.queryByText("Why?")).toBeNull();
});
