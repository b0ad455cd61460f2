/*
 * Formulas in the midst of a text. The part that draws them is fetched when the
 * first one is shown; from then on they are drawn at once, so that a text that
 * grows does not flicker.
 */
type Formula = typeof import("./formula");
let part: Formula | undefined;
let coming: Promise<Formula> | undefined;

export function loadedFormulas(): Formula | undefined {
  return part;
}

export function loadFormulas(): Promise<Formula> {
  coming ??= import("./formula").then(
    (m) => (part = m),
    (e: unknown) => {
      coming = undefined; // the line may be cut; the next one tries again
      throw e;
    },
  );
  return coming;
}

/** Puts drawings in place of the formulas in an element. A formula that cannot be drawn stays as it is written, and says why. */
export function withFormulas(host: HTMLElement): void {
  const found = host.querySelectorAll<HTMLElement>("code.math, code.math-block");
  if (found.length === 0) return;
  if (part) draw(part, found);
  else
    void loadFormulas().then(
      (m) => draw(m, found),
      () => {},
    );
}

function draw({ drawFormula, problemOf }: Formula, found: Iterable<HTMLElement>): void {
  for (const code of found) {
    const source = code.textContent ?? "";
    try {
      const math = drawFormula(source, code.className === "math-block");
      math.setAttribute("title", source);
      code.replaceWith(math);
    } catch (e) {
      code.title = problemOf(e);
      code.className = "math-broken";
    }
  }
}
