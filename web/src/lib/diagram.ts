import address from "virtual:diagrams";

/** What the frame is asked to draw. */
export interface Order {
  id: number;
  source: string;
  colours: Record<"sheet" | "well" | "sunk" | "ink" | "soft" | "edge" | "wash" | "ask", string>;
  dark: boolean;
  font: string;
}

export type Drawing = { id: number; svg: string; width: number; height: number } | { id: number; problem: string };

/** A picture of a diagram. */
export interface Picture {
  url: string;
  width: number;
  height: number;
}

/** The source is no diagram, of a kind that is not drawn here, or too much of one. */
export class DiagramProblem extends Error {
  constructor(
    readonly kind: "syntax" | "kind" | "time",
    message: string,
  ) {
    super(message);
  }
}

/*
 * Diagrams are drawn in a frame with an origin of its own, under a policy that
 * lets it load nothing (/frame.html?run). What comes back is shown as a picture,
 * in which no script runs and which loads nothing: nothing of it enters the page.
 */
const patienceMs = 10_000;
const mostPictures = 40;
const font = 'system-ui, -apple-system, "Segoe UI", sans-serif';

const pictures = new Map<string, Picture>();
let frame: Promise<HTMLIFrameElement> | null = null;
let last: Promise<unknown> = Promise.resolve();
let count = 0;

/** Draws a diagram in the colours of the page as they are. */
export async function drawDiagram(source: string): Promise<Picture> {
  const look = document.documentElement.dataset.theme ?? "light";
  const key = `${look} ${source}`;
  const known = pictures.get(key);
  if (known) return known;
  const turn = last.then(() => ask(source, look === "dark"));
  last = turn.catch(() => {});
  const drawing = await turn;
  if ("problem" in drawing)
    throw new DiagramProblem(
      drawing.problem === "kind" || /No diagram type detected/.test(drawing.problem) ? "kind" : "syntax",
      drawing.problem,
    );
  const picture = {
    url: URL.createObjectURL(new Blob([drawing.svg], { type: "image/svg+xml" })),
    width: drawing.width,
    height: drawing.height,
  };
  pictures.set(key, picture);
  if (pictures.size > mostPictures) pictures.delete(pictures.keys().next().value!); // one in view keeps its address
  return picture;
}

async function ask(source: string, dark: boolean): Promise<Drawing> {
  frame ??= started().catch((e: unknown) => {
    frame = null;
    throw e;
  });
  const box = await frame;
  const id = ++count;
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--c-${name}`).trim();
  const colours = {
    sheet: token("sheet"),
    well: token("well"),
    sunk: token("sunk"),
    ink: token("ink"),
    soft: token("soft"),
    edge: token("edge"),
    wash: token("run-wash"),
    ask: token("ask-wash"),
  };
  const heard = hear<Drawing>(box, (d) => (d as Drawing).id === id);
  box.contentWindow!.postMessage({ id, source, colours, dark, font } satisfies Order, "*"); // its origin has no name
  try {
    return await heard;
  } catch (e) {
    box.remove(); // it may be at work for ever
    frame = null;
    throw e;
  }
}

/** The frame, with the script that draws. */
async function started(): Promise<HTMLIFrameElement> {
  const response = await fetch(address);
  if (!response.ok || !response.body) throw new Error(`${response.status}`);
  const code = await new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).text();
  const box = document.createElement("iframe");
  box.sandbox.add("allow-scripts");
  box.referrerPolicy = "no-referrer";
  box.src = "/frame.html?run";
  box.className = "diagram-frame";
  box.tabIndex = -1;
  box.ariaHidden = "true";
  box.title = "";
  const loaded = new Promise((done) => box.addEventListener("load", done, { once: true }));
  document.body.append(box);
  await loaded;
  const ready = hear<{ ready: true }>(box, (d) => (d as { ready?: boolean }).ready === true);
  box.contentWindow!.postMessage(
    {
      html: `<!doctype html><meta charset="utf-8"><body><script>${code.replaceAll("</script", "<\\/script")}</script>`,
      run: true,
    },
    "*",
  );
  await ready;
  return box;
}

function hear<T>(box: HTMLIFrameElement, isIt: (data: object) => boolean): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => end(() => fail(new DiagramProblem("time", "no answer"))), patienceMs);
    const listen = (e: MessageEvent<unknown>) => {
      if (e.source === box.contentWindow && typeof e.data === "object" && e.data !== null && isIt(e.data))
        end(() => done(e.data as T));
    };
    const end = (then: () => void) => {
      clearTimeout(timer);
      removeEventListener("message", listen);
      then();
    };
    addEventListener("message", listen);
  });
}
