/**
 * Whether a value has a whole number that may have been another one on the wire:
 * those beyond 2^53 are rounded when they are read.
 */
export function rounded(value: unknown): boolean {
  if (typeof value === "number")
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  return typeof value === "object" && value !== null && Object.values(value).some(rounded);
}
