/** How much a frame may ask for: so many things in a minute that slides. */
export class Allowance {
  private taken: number[] = [];

  constructor(
    private readonly most = 30,
    private readonly spanMs = 60_000,
  ) {}

  /** Takes one, false if there is none left now. */
  take(now: number): boolean {
    this.taken = this.taken.filter((t) => t > now - this.spanMs);
    if (this.taken.length >= this.most) return false;
    this.taken.push(now);
    return true;
  }
}
