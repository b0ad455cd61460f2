import type { ChartKind } from "./charts/frame";
import type { Bundle } from "./output";

/** How an output is shown, and the value that is shown so. */
export type Choice =
  | { as: "image"; type: string; value: unknown }
  | { as: "svg" | "html" | "markdown" | "latex" | "text"; value: unknown }
  | { as: "json"; value: unknown }
  | { as: "chart"; kind: ChartKind; value: unknown; otherwise: Choice }
  | { as: "resource"; value: unknown; otherwise: Choice }
  | { as: "widget"; value: unknown }
  | { as: "nothing" };

const images = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const charts = /^application\/vnd\.(vega|vegalite|plotly)\.v\d+(?:\.\d+)*\+json$/;
const resource = "application/vnd.dataresource+json";
const widget = "application/vnd.jupyter.widget-view+json";
const texts = { "text/html": "html", "text/markdown": "markdown", "text/latex": "latex" } as const;

/**
 * The first form that fits. Charts come first, since pictures of them say less, then pictures; a table's data,
 * charts and widgets come before their HTML, which is a script that could do nothing here.
 */
export function choose(data: Bundle): Choice {
  for (const type of Object.keys(data)) {
    const kind = charts.exec(type)?.[1] as ChartKind | undefined;
    if (kind) return { as: "chart", kind, value: data[type], otherwise: withoutScripts(data, type) };
  }
  for (const type of images) if (type in data) return { as: "image", type, value: data[type] };
  if ("image/svg+xml" in data) return { as: "svg", value: data["image/svg+xml"] };
  if (resource in data) return { as: "resource", value: data[resource], otherwise: choose(without(data, resource)) };
  if (widget in data) return { as: "widget", value: data["text/plain"] };
  for (const [type, as] of Object.entries(texts)) if (type in data) return { as, value: data[type] };
  if ("application/json" in data) return { as: "json", value: data["application/json"] };
  if ("text/plain" in data) return { as: "text", value: data["text/plain"] };
  const other = Object.keys(data).find((type) => /[/+]json$/.test(type));
  return other ? { as: "json", value: data[other] } : { as: "nothing" };
}

/** Another form of a chart: a picture, its text, or its description. */
function withoutScripts(data: Bundle, type: string): Choice {
  const rest = choose(
    Object.fromEntries(
      Object.entries(data).filter(([t]) => images.includes(t) || t === "image/svg+xml" || t === "text/plain"),
    ),
  );
  return rest.as === "nothing" ? { as: "json", value: data[type] } : rest;
}

function without(data: Bundle, type: string): Bundle {
  return Object.fromEntries(Object.entries(data).filter(([t]) => t !== type));
}

const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

/** The address of an image that came as text; null if the text is none. */
export function imageData(type: string, text: string): string | null {
  return base64.test(text) ? `data:${type};base64,${text.replace(/\s+/g, "")}` : null;
}

/** A formula without the signs around it, and whether there is nothing else; otherwise null. */
export function formulaIn(latex: string): string | null {
  const m = /^\s*(?:\$\$([^$]+)\$\$|\$([^$]+)\$|\\\[([\s\S]+)\\\]|\\\(([\s\S]+)\\\)|(\\begin\{[\s\S]+\}))\s*$/.exec(
    latex,
  );
  const inside = m?.slice(1).find((g) => g !== undefined);
  return inside === undefined ? null : inside.replace(/^\s*\\displaystyle\b/, "").trim();
}
