/*
 * What the scripts have in common that draw charts. Each runs in a frame that may load nothing and
 * has nothing: a description by a stranger goes in, and is drawn in the frame. It hears only the page around it.
 */

/** What a frame is asked to draw, once. */
export interface Order {
  chart: string;
  kind: ChartKind;
}

export type ChartKind = "vega" | "vegalite" | "plotly";

/** How it went; `height` is told again when it changes. */
export type Answer = { chart: "drawn"; height: number } | { chart: "problem"; why: "kind" | "spec" };

/** Nothing here draws charts of this kind. */
export class UnknownKind extends Error {}

const deepest = 200;
const left = new Set(["__proto__", "constructor", "prototype"]);

/** A value without names that mean something to JavaScript itself. */
function plain(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > deepest) throw new Error("too deep");
  if (Array.isArray(value)) return value.map((v) => plain(v, depth + 1));
  const object: Record<string, unknown> = {};
  for (const [name, v] of Object.entries(value)) if (!left.has(name)) object[name] = plain(v, depth + 1);
  return object;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An address that holds what it stands for. */
export const holdsImage = (address: unknown): address is string =>
  typeof address === "string" && /^data:image\/(?:png|jpeg|gif|webp);base64,/.test(address);

const tell = (answer: Answer) => parent.postMessage(answer, "*"); // nobody else can be around it

/** Draws the first chart that the page around asks for. */
export function drawsCharts(
  draw: (value: Record<string, unknown>, host: HTMLElement, order: Order) => Promise<unknown>,
): void {
  const host = document.getElementById("chart")!;
  // Labels may be links; they lead nowhere.
  for (const press of ["click", "auxclick"])
    addEventListener(press, (e) => (e.target as Element).closest?.("a") && e.preventDefault(), true);
  const listen = async (e: MessageEvent<Order | null>) => {
    if (e.source !== parent || typeof e.data?.chart !== "string") return;
    removeEventListener("message", listen);
    try {
      const value = plain(JSON.parse(e.data.chart));
      if (!isObject(value)) throw new Error("no object");
      await draw(value, host, e.data);
      const drawn = () => tell({ chart: "drawn", height: Math.ceil(host.getBoundingClientRect().height) });
      drawn(); // an observer is silent while nobody sees the page
      new ResizeObserver(drawn).observe(host);
    } catch (problem) {
      tell({ chart: "problem", why: problem instanceof UnknownKind ? "kind" : "spec" });
    }
  };
  addEventListener("message", listen);
}
