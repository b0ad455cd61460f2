import mermaid from "mermaid/dist/mermaid.core.mjs";
import type { Drawing, Order } from "./diagram";

/*
 * Runs in the frame that may load nothing and has nothing: texts of agents go in,
 * pictures come out. It hears only the page around it.
 */
mermaid.startOnLoad = false;

async function draw({ id, source, colours: c, dark, font }: Order): Promise<Drawing> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    htmlLabels: false,
    maxTextSize: 50_000,
    maxEdges: 500,
    deterministicIds: true,
    layout: "dagre",
    look: "classic",
    sequence: { actorFontSize: 13, messageFontSize: 13, noteFontSize: 13, height: 36, width: 110 },
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    theme: "base",
    fontFamily: font,
    themeVariables: {
      darkMode: dark,
      fontFamily: font,
      fontSize: "13px",
      background: c.sheet,
      primaryColor: c.well,
      primaryTextColor: c.ink,
      primaryBorderColor: c.edge,
      lineColor: c.soft,
      textColor: c.ink,
      secondaryColor: c.wash,
      tertiaryColor: c.sunk,
      noteBkgColor: c.ask,
      noteTextColor: c.ink,
      noteBorderColor: c.edge,
      edgeLabelBackground: c.sheet,
      clusterBkg: c.sunk,
      clusterBorder: c.edge,
      titleColor: c.ink,
    },
  });
  const { svg } = await mermaid.render(`d${id}`, source);
  const host = document.createElement("div");
  host.innerHTML = svg;
  const picture = host.querySelector("svg")!;
  const [, , width = 0, height = 0] = (picture.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  picture.setAttribute("width", String(width));
  picture.setAttribute("height", String(height));
  return { id, svg: new XMLSerializer().serializeToString(picture), width, height };
}

let last: Promise<unknown> = Promise.resolve();
addEventListener("message", (e: MessageEvent<Order>) => {
  if (e.source !== parent || typeof e.data?.source !== "string") return;
  last = last.then(async () => {
    const answer = await draw(e.data).catch((problem: unknown): Drawing => ({
      id: e.data.id,
      problem: String((problem as Error)?.message ?? problem),
    }));
    document.body.replaceChildren();
    parent.postMessage(answer, "*"); // nobody else can be around it
  });
});
parent.postMessage({ ready: true }, "*");
