/** How long a condition may take that should hold soon. Generous: the machine may be busy. */
export const soonMs = 40_000;

/**
 * Asks until the answer is neither undefined, null nor false, and gives it. A
 * question that throws is asked again; what it threw last is told in the end.
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  withinMs = soonMs,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = Date.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer as NonNullable<Exclude<T, false>>;
      last = undefined;
    } catch (e) {
      last = e;
    }
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`, { cause: last });
    await new Promise((go) => setTimeout(go, 25));
  }
}
