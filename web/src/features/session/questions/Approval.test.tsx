import { cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setPrefs } from "@/app/prefs";
import { Approval } from "./Approval";
import { approval } from "./samples";

vi.mock("@/app/client", () => ({ client: { rest: { rules: {}, inbox: {} } } }));

function shown(over: Parameters<typeof approval>[0]) {
  return render(
    <Approval question={approval(over)} sessionId="s" live busy={false} give={() => {}} keys={{ current: {} }} />,
  ).container.textContent;
}

beforeEach(() => setPrefs({ language: "en" }));
afterEach(cleanup);

test("a kernel is not started without a word of what it is, and of what holds it", () => {
  const summary = "Restart the kernel of a.ipynb, in a new kernel";
  const text = shown({
    tool: "kernel",
    input: { action: "restart" },
    reason: summary,
    effect: { summary, command: "/usr/bin/python3 -m ipykernel_launcher", sandbox: "none", network: true, digest: "1" },
  });
  for (const said of [summary, "/usr/bin/python3 -m ipykernel_launcher", "Sandbox", "Network"])
    expect(text).toContain(said);
});

test("what holds a kernel is told of a cell in which nothing is, too", () => {
  const summary = "Run a cell of the notebook a.ipynb";
  const text = shown({
    tool: "run_cell",
    input: { cell_ids: ["c"] },
    reason: summary,
    effect: { summary, sandbox: "bwrap", digest: "1" },
  });
  for (const said of [summary, "Sandbox", "Network"]) expect(text).toContain(said);
});

test("a command is said once", () => {
  expect(shown({})!.split("go test ./...")).toHaveLength(2);
});
