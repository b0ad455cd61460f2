import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Tabs } from "./Tabs";

test("arrows choose tabs, and only the chosen one is in the tab order", async () => {
  const onChange = vi.fn();
  const tabs = [
    { id: "a", label: "A", content: "first" },
    { id: "b", label: "B", content: "second" },
  ];
  const view = render(<Tabs label="parts" tabs={tabs} value="a" onChange={onChange} />);
  expect(screen.getByRole("tabpanel").textContent).toBe("first");
  screen.getByRole("tab", { name: "A" }).focus();
  await userEvent.keyboard("{ArrowLeft}");
  expect(onChange).toHaveBeenCalledWith("b");
  view.rerender(<Tabs label="parts" tabs={tabs} value="b" onChange={onChange} />);
  expect(screen.getByRole("tab", { name: "A" }).tabIndex).toBe(-1);
  expect(screen.getByRole("tabpanel").textContent).toBe("second");
});
