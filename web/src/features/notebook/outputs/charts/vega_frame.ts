import { expressionInterpreter } from "vega-interpreter";
import { parse, View, type Loader, type LoggerInterface, type Spec } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { drawsCharts, holdsImage } from "./frame";

const font = 'system-ui, -apple-system, "Segoe UI", sans-serif';
const config = {
  background: "#fff",
  font,
  axis: {
    labelFontSize: 11,
    titleFontSize: 12,
    titleFontWeight: "normal",
    gridColor: "#e6e6e3",
    domainColor: "#b9b9b4",
    tickColor: "#b9b9b4",
  },
  legend: { titleFontWeight: "normal" },
  view: { stroke: "transparent" },
  title: { fontWeight: 600 },
} as const;
const asCanvas = 500_000; // a long description has more marks than elements are good for

/** Nothing is fetched, and nothing is a link; images have to be in the description itself. */
const nothing = () => Promise.reject(new Error("nothing is loaded"));
const loader: Loader = {
  load: nothing,
  http: nothing,
  file: nothing,
  sanitize: (address) => (holdsImage(address) ? Promise.resolve({ href: address }) : nothing()),
};

let problem: unknown;
const quiet: LoggerInterface = {
  level: ((value?: number) => (value === undefined ? 1 : quiet)) as LoggerInterface["level"],
  error: (...args) => ((problem ??= args), quiet),
  warn: () => quiet,
  info: () => quiet,
  debug: () => quiet,
};

// Expressions are interpreted and never made into scripts.
drawsCharts(async (value, host, { chart, kind }) => {
  const spec =
    kind === "vega"
      ? (value as unknown as Spec)
      : compile(value as unknown as TopLevelSpec, { config, logger: quiet }).spec;
  const runtime = parse(spec, kind === "vega" ? config : undefined, { ast: true });
  const view = new View(runtime, {
    expr: expressionInterpreter,
    loader,
    logger: quiet,
    renderer: chart.length > asCanvas ? "canvas" : "svg",
    container: host,
    hover: true,
  });
  await view.runAsync();
  if (problem !== undefined) throw new Error(String(problem));
});
