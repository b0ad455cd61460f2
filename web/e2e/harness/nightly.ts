/** The night has time for the full form of every test; CI plays a shorter one. */
export const nightly = process.env.CLEW_NIGHTLY === "1";

/** The size of a test in CI, and its full size. */
export const size = <T>(short: T, full: T): T => (nightly ? full : short);

/**
 * Whether this combination of choices, each 0 or 1, is tried: at night all, in
 * CI half of them, so that of three choices each two meet in all ways.
 */
export const tried = (...choices: (boolean | number)[]): boolean =>
  nightly || choices.reduce<number>((sum, c) => sum + Number(c), 0) % 2 === 0;

/**
 * Whether the nth of many pages, or of other things that all get one check, is seen
 * this way: at night all in every way, in CI each in one, the ways in turn.
 */
export const inTurn = (n: number, way: number, ways = 2): boolean => nightly || n % ways === way;

/** As tried, for what takes long: in CI two combinations, in which each choice is made once in each way. */
export const opposite = (...choices: boolean[]): boolean => nightly || choices.every((c) => c === choices[0]);
