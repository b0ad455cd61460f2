import temml from "temml";

const longest = 5_000;

/**
 * Draws a formula as MathML, which browsers lay out by themselves. It is made
 * element by element, so there is no HTML to be cleaned, and links and pictures
 * in formulas are errors.
 */
export function drawFormula(tex: string, display: boolean): Element {
  if (tex.length > longest) throw new Error("too long");
  const host = document.createElement("span");
  temml.render(tex, host, {
    displayMode: display,
    throwOnError: true,
    trust: false,
    strict: false,
    maxExpand: 100,
    maxSize: [40, 40],
  });
  const math = host.firstElementChild!;
  for (const e of [math, ...math.querySelectorAll("*")]) {
    e.removeAttribute("id"); // names are the page's own
    e.removeAttribute("href");
  }
  return math;
}

/** Why a formula could not be drawn, in one line. */
export function problemOf(e: unknown): string {
  return String((e as Error)?.message ?? e)
    .replace(/[\u0300-\u036f]/g, "")
    .split("\n")[0]!
    .trim()
    .replace(/ at (?:position \d+|end of input):?.*$/, "");
}
