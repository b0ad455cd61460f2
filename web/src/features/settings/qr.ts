import { encode } from "uqr";

/** The code of a text, row by row; true is dark. Throws if the text is too long for a camera to read the code from a screen. */
export function qrMatrix(text: string): boolean[][] {
  return encode(text, { ecc: "L", border: 0, maxVersion: 10 }).data;
}
