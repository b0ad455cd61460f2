/** Prints figures as one line of JSON, for whoever watches them over time. */
export function figures(values: Record<string, number | string>): void {
  const round = (v: number | string) => (typeof v === "number" ? Math.round(v * 100) / 100 : v);
  process.stdout.write(
    `figures ${JSON.stringify(Object.fromEntries(Object.entries(values).map(([k, v]) => [k, round(v)])))}\n`,
  );
}
