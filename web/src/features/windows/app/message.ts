/** How large a message of a frame may be, as JSON. */
const charsMax = 16 * 1024;

export function isObject(x: unknown): x is Record<string, unknown> {
  return typeof x === "object" && x !== null && !Array.isArray(x);
}

export function tooLarge(message: object): boolean {
  try {
    return JSON.stringify(message).length > charsMax;
  } catch {
    return true; // it holds what no JSON can
  }
}
