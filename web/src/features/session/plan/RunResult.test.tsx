import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { RunView } from "@clew-run/client";
import { RunResult } from "./RunResult";

it("shows results of the work beside the reports", async () => {
  const at = "/reports/s/run_1/";
  const report = {
    response: {
      format: "mixed",
      text: "Done.",
      summary: "",
      next_actions: [],
      attachments: [
        { type: "chart", title: "Sales by month", url: `${at}1-chart.svg` },
        { type: "table", title: "all.csv", url: `${at}2-all.csv` },
        { type: "image", title: "elsewhere", url: "//evil.example/x.png" },
      ],
    },
  };
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => new Response(JSON.stringify(report))),
  );
  const run = {
    run_id: "run_1",
    status: "completed",
    report_paths: [`${at}1-chart.svg`, `${at}2-all.csv`, `${at}report.json`],
  };
  render(<RunResult run={run as unknown as RunView} />);
  const attached = await screen.findByRole("list", { name: "Attachments" });
  expect([...attached.querySelectorAll("a")].map((a) => a.getAttribute("href"))).toEqual([
    `${at}1-chart.svg`,
    `${at}2-all.csv`,
  ]);
  expect([...attached.querySelectorAll("img")].map((a) => a.getAttribute("src"))).toEqual([`${at}1-chart.svg`]);
  const reports = screen.getByRole("list", { name: "Reports" });
  expect([...reports.querySelectorAll("a")].map((a) => a.getAttribute("href"))).toEqual([`${at}report.json`]);
});
