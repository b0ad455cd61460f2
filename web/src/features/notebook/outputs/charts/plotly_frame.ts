import plotly from "plotly.js-cartesian-dist-min";
import { drawsCharts, holdsImage, isObject, UnknownKind } from "./frame";

/** What the script draws. What is drawn by the graphics card elsewhere is drawn like everything else here. */
const drawn = new Set([
  "scatter",
  "bar",
  "box",
  "heatmap",
  "histogram",
  "histogram2d",
  "histogram2dcontour",
  "contour",
  "scatterternary",
  "violin",
  "image",
  "pie",
]);
const other: Record<string, string> = { scattergl: "scatter", heatmapgl: "heatmap" };

// A finger that drags moves the page and not the chart.
const touch = matchMedia("(pointer: coarse)").matches;
const config = {
  responsive: true,
  displayModeBar: touch ? false : undefined,
  displaylogo: false,
  showLink: false,
  showSendToCloud: false,
  plotlyServerURL: "",
  topojsonURL: "",
  modeBarButtonsToRemove: ["toImage", "select2d", "lasso2d"],
};
const font = 'system-ui, -apple-system, "Segoe UI", sans-serif';

drawsCharts(async (figure, host) => {
  const data = (Array.isArray(figure.data) ? figure.data : []).map(traceOf);
  const layout = layoutOf(figure.layout);
  if (isObject(layout.template)) layout.template = { ...layout.template, layout: layoutOf(layout.template.layout) };
  if (typeof layout.width === "number" && layout.width > innerWidth) delete layout.width;
  if (touch) layout.dragmode = false;
  layout.font = { family: font, ...(isObject(layout.font) && layout.font) };
  await plotly.newPlot(host, { data, layout, config });
});

function traceOf(trace: unknown): Record<string, unknown> {
  if (!isObject(trace)) throw new Error("no trace");
  const named = typeof trace.type === "string" ? trace.type : "scatter";
  const type = other[named] ?? named;
  if (!drawn.has(type)) throw new UnknownKind(type);
  const { source, ...rest } = trace;
  return { ...rest, type, ...(type === "image" && holdsImage(source) && { source }) };
}

/** A layout without pictures that would have to be loaded. */
function layoutOf(layout: unknown): Record<string, unknown> {
  if (!isObject(layout)) return {};
  const images = Array.isArray(layout.images) ? layout.images.filter((i) => isObject(i) && holdsImage(i.source)) : [];
  return { ...layout, images };
}
