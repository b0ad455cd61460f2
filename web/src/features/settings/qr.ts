/*
 * QR codes (ISO/IEC 18004), as much as a link needs: bytes, error correction of
 * level L, versions 1 to 10, which is up to 271 bytes.
 */

/** Of versions 1 to 10 at level L: bytes of correction in a block, and blocks. */
const perBlock = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18];
const blockCount = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4];
/** Where the middles of the small squares are. */
const middles = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

type Grid = boolean[][];

/** The code of a text, row by row; true is dark. Throws if the text is too long. */
export function qrMatrix(text: string): Grid {
  const bytes = [...new TextEncoder().encode(text)];
  const version = perBlock.findIndex((_, v) => bytes.length + (v < 9 ? 2 : 3) <= dataBytes(v)) + 1;
  if (version === 0) throw new RangeError("too long for a QR code");
  const bits = interleaved(dataOf(bytes, version), version);
  let best: Grid = [];
  let least = Infinity;
  for (let mask = 0; mask < 8; mask++) {
    const grid = drawn(version, mask, bits);
    const ugly = penalty(grid);
    if (ugly < least) [best, least] = [grid, ugly];
  }
  return best;
}

/** Modules that carry data or correction, in bytes. */
function rawBytes(v: number): number {
  const version = v + 1;
  const squares = middles[v]!.length;
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) modules -= (25 * squares - 10) * squares - 55;
  if (version >= 7) modules -= 36;
  return modules >> 3;
}

function dataBytes(v: number): number {
  return rawBytes(v) - perBlock[v]! * blockCount[v]!;
}

/** Mode, length, the bytes, and filling. */
function dataOf(bytes: readonly number[], version: number): number[] {
  const bits: number[] = [];
  const put = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const b of bytes) put(b, 8);
  const room = dataBytes(version - 1);
  put(0, Math.min(4, room * 8 - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  const out = Array.from({ length: bits.length / 8 }, (_, i) => parseInt(bits.slice(i * 8, i * 8 + 8).join(""), 2));
  for (let pad = 0xec; out.length < room; pad ^= 0xec ^ 0x11) out.push(pad);
  return out;
}

/** Splits into blocks, adds correction to each, and deals them out in turn. */
function interleaved(data: readonly number[], version: number): number[] {
  const count = blockCount[version - 1]!;
  const length = perBlock[version - 1]!;
  const divisor = divisorOf(length);
  const short = count - (data.length % count); // blocks that have one byte less
  const blocks: { data: number[]; check: number[] }[] = [];
  for (let i = 0, at = 0; i < count; i++) {
    const part = data.slice(at, (at += Math.floor(data.length / count) + (i < short ? 0 : 1)));
    blocks.push({ data: part, check: remainder(part, divisor) });
  }
  const out: number[] = [];
  for (const part of ["data", "check"] as const) {
    const longest = Math.max(...blocks.map((b) => b[part].length));
    for (let i = 0; i < longest; i++) for (const b of blocks) if (i < b[part].length) out.push(b[part][i]!);
  }
  return out;
}

/** Multiplies in GF(256) over x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let z = 0;
  for (let i = 7; i >= 0; i--) z = ((z << 1) ^ ((z >>> 7) * 0x11d)) ^ (((b >>> i) & 1) * a);
  return z;
}

function divisorOf(degree: number): number[] {
  const out = [...Array<number>(degree - 1).fill(0), 1];
  for (let i = 0, root = 1; i < degree; i++, root = times(root, 2)) {
    for (let j = 0; j < degree; j++) out[j] = times(out[j]!, root) ^ (out[j + 1] ?? 0);
  }
  return out;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  let out = divisor.map(() => 0);
  for (const b of data) {
    const factor = b ^ out[0]!;
    out = [...out.slice(1), 0].map((x, i) => x ^ times(divisor[i]!, factor));
  }
  return out;
}

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function drawn(version: number, mask: number, bytes: readonly number[]): Grid {
  const size = version * 4 + 17;
  const grid: Grid = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const taken: Grid = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const set = (x: number, y: number, dark: boolean) => {
    if (grid[y]?.[x] === undefined) return;
    grid[y][x] = dark;
    taken[y]![x] = true;
  };
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  const ring = (cx: number, cy: number, reach: number, light: number[]) => {
    for (let dy = -reach; dy <= reach; dy++) for (let dx = -reach; dx <= reach; dx++) set(cx + dx, cy + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) ring(x, y, 4, [2, 4]);
  const at = middles[version - 1]!;
  at.forEach((x, i) => at.forEach((y, j) => {
    const corner = (i === 0 && j === 0) || (i === 0 && j === at.length - 1) || (i === at.length - 1 && j === 0);
    if (!corner) ring(x, y, 2, [1]);
  }));
  format(size, mask, set);
  if (version >= 7) versionBits(size, version, set);
  fill(grid, taken, bytes, masks[mask]!);
  return grid;
}

type Put = (x: number, y: number, dark: boolean) => void;

/** Level and mask, twice, with their own correction. */
function format(size: number, mask: number, set: Put): void {
  const data = (1 << 3) | mask; // 1 is level L
  let rest = data;
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  const bit = (i: number) => ((bits >>> i) & 1) === 1;
  for (let i = 0; i <= 5; i++) set(8, i, bit(i));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
  for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
  for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
  set(8, size - 8, true);
}

function versionBits(size: number, version: number, set: Put): void {
  let rest = version;
  for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let i = 0; i < 18; i++) {
    const dark = ((bits >>> i) & 1) === 1;
    const a = size - 11 + (i % 3);
    const b = Math.floor(i / 3);
    set(a, b, dark);
    set(b, a, dark);
  }
}

/** Writes the bytes in pairs of columns from the right, up and down in turn. */
function fill(grid: Grid, taken: Grid, bytes: readonly number[], masked: (x: number, y: number) => boolean): void {
  const size = grid.length;
  let i = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let n = 0; n < size; n++) {
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - n : n;
        if (taken[y]![x]) continue;
        const dark = i < bytes.length * 8 && ((bytes[i >> 3]! >>> (7 - (i & 7))) & 1) === 1;
        grid[y]![x] = dark !== masked(x, y);
        i++;
      }
    }
  }
}

/** How hard a grid is to read: long runs, blocks, what looks like a corner, too much of one colour. */
function penalty(grid: Grid): number {
  const size = grid.length;
  let sum = 0;
  const lines = [...grid, ...grid.map((_, x) => grid.map((row) => row[x]!))].map((l) => l.map((d) => (d ? "1" : "0")).join(""));
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
    sum += 40 * ((line.match(/(?=00001011101)/g)?.length ?? 0) + (line.match(/(?=10111010000)/g)?.length ?? 0));
  }
  for (let y = 0; y < size - 1; y++) {
    for (let x = 0; x < size - 1; x++) {
      const d = grid[y]![x];
      if (d === grid[y]![x + 1] && d === grid[y + 1]![x] && d === grid[y + 1]![x + 1]) sum += 3;
    }
  }
  const dark = grid.flat().filter(Boolean).length;
  return sum + 10 * Math.floor(Math.abs((dark * 20) / (size * size) - 10));
}
