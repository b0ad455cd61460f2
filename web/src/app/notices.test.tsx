import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Notices, notify } from "./notices";

afterEach(cleanup);

test("of notices about the same thing only the newest is shown, others stay", () => {
  render(<Notices />);
  act(() => {
    notify({ tone: "run", text: "Imported" });
    notify({ tone: "run", text: "Gone back.", about: "travel a", action: { label: "Undo", run() {} } });
    notify({ tone: "run", text: "Gone back elsewhere.", about: "travel b" });
    notify({ tone: "run", text: "Undone.", about: "travel a", action: { label: "Redo", run() {} } });
  });
  expect(screen.queryByText("Gone back.")).toBeNull();
  expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  for (const text of ["Imported", "Gone back elsewhere.", "Undone."]) screen.getByText(text);
});
