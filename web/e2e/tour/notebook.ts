import type { World } from "../harness";
import { opened } from "../notebook/stage";

const rows = [
  ["311", "2026-W46", "North", "742", "12.40", "11", "+6.1%"],
  ["310", "2026-W46", "West", "498", "11.95", "7", "+2.4%"],
  ["308", "2026-W45", "West", "486", "11.95", "9", "+1.0%"],
  ["309", "2026-W46", "South", "251", "12.10", "3", "-0.8%"],
];
const cells = (row: readonly string[], tag: string) =>
  row.map((c, i) => (i === 0 ? `<th>${c}</th>` : `<${tag}>${c}</${tag}>`)).join("");
const table = `<table border="1" class="dataframe"><thead><tr>${cells(["", "week", "region", "units", "price", "returned", "change"], "th")}</tr></thead><tbody>${rows.map((r) => `<tr>${cells(r, "td")}</tr>`).join("")}</tbody></table><p>312 rows × 6 columns</p>`;

/** A line of the chart: a slow wave around a height. */
const line = (at: number, colour: string) =>
  `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${Array.from({ length: 52 }, (_, i) => `${40 + i * 12.5},${Math.round(at - 14 * Math.sin(i / 6) - i / 3)}`).join(" ")}"/>`;
const chart = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 200" width="700" height="200" font-family="sans-serif" font-size="11" fill="#57534b"><path d="M40 20H690M40 70H690M40 120H690M40 170H690" stroke="#e8e4da"/><text x="8" y="24">750</text><text x="8" y="74">500</text><text x="8" y="124">250</text><text x="22" y="174">0</text>${line(60, "#0f6e66")}${line(100, "#c98a3c")}${line(140, "#5f7fa3")}<text x="40" y="192">Feb</text><text x="345" y="192">Jun</text><text x="660" y="192">Nov</text></svg>`;

const shown = (data: object) => [{ output_type: "display_data", metadata: {}, data }];

/** A session with a notebook as its file has it: nothing has to run for its picture. */
export function forecast(world: World): Promise<string> {
  return opened(world, "Demand by region", [
    { type: "markdown", source: "## Weekly demand\n\nUnits by **region**, with a forecast of twelve weeks." },
    {
      source:
        'weekly = (sales.groupby(["week", "region"])\n    .agg(units=("qty", "sum"), price=("price", "mean")).reset_index())\nweekly.tail(4)',
      count: 4,
      outputs: shown({ "text/html": table }),
    },
    {
      source: 'model = SeasonalFit(weekly, by="region").fit()\nmodel.plot(horizon=12)',
      count: 5,
      outputs: shown({ "image/svg+xml": chart }),
    },
    { source: "model.score(test)", count: 6, outputs: shown({ "text/plain": "0.8713" }) },
    { source: 'for region in regions:\n    forecast[region].to_csv(f"plan/{region}.csv")' },
  ]);
}
