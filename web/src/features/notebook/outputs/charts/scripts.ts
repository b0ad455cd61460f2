import plotly from "virtual:plotly";
import vega from "virtual:vega";
import type { ChartKind } from "./frame";

const addresses: Record<ChartKind, string> = { vega, vegalite: vega, plotly };
const pages = new Map<string, Promise<string>>();

const look =
  "<style>html{font:13px/20px system-ui,sans-serif;background:#fff}body{margin:8px}#chart{overflow-x:auto}svg{max-width:100%;height:auto}.js-plotly-plot svg{max-width:none}</style>";

/** The page that draws charts of this kind, with its script in it: it may load nothing itself. */
export function chartPage(kind: ChartKind): Promise<string> {
  const address = addresses[kind];
  let page = pages.get(address);
  if (!page) {
    page = fetched(address);
    pages.set(address, page);
    page.catch(() => pages.delete(address)); // the next one tries again
  }
  return page;
}

async function fetched(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok || !response.body) throw new Error(`${response.status}`);
  const code = await new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).text();
  return `<!doctype html><meta charset="utf-8">${look}<body><div id="chart"></div><script>${code.replaceAll("</script", "<\\/script")}</script>`;
}
