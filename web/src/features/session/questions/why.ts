/** Why something is asked about, in the words of the page; the server's own where there are none. */
export function whyWords(t: { reasons: Partial<Record<string, string>>; because: string }, why: string): string {
  return `${t.because} ${t.reasons[why] ?? why}`;
}
