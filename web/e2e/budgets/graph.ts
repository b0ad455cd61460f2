import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { parseAst } from "vite";

/** What a build is made of, and what of it loads when. Sizes are of gzip, in KiB. */
export interface Sizes {
  /** Everything that the first page needs before it shows anything. */
  first: { kib: number; files: string[] };
  /** What each `import()` brings beyond that, by the name of its file. */
  lazy: Record<string, number>;
  /** What one `import()` brings beyond the first load and what another one has brought already. */
  beyond(file: RegExp, after: RegExp): number;
  /** All files, as they are carried in the program. */
  all: number;
}

interface Chunk {
  statics: string[];
  lazies: { file: string; styles: string[] }[];
}

export function sizesOf(dist: string): Sizes {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile() && f.name !== ".keep")
    .map((f) => join(f.parentPath, f.name).slice(dist.length).replace(/^\//, ""))
    .filter((f, _, all) => !f.endsWith(".gz") || !all.includes(f.slice(0, -3)))
    .map((f) => f.replace(/\.gz$/, "")); // of some there is only what is sent
  const read = (f: string): Buffer =>
    existsSync(join(dist, f)) ? readFileSync(join(dist, f)) : gunzipSync(readFileSync(join(dist, `${f}.gz`)));
  const kib = new Map(files.map((f) => [f, gzipSync(read(f), { level: 9 }).length / 1024]));
  const chunks = new Map(
    files
      .filter((f) => f.startsWith("assets/") && f.endsWith(".js"))
      .map((f) => [f, chunkOf(read(f).toString("utf8"))]),
  );
  const sum = (names: Iterable<string>): number => [...names].reduce((total, f) => total + size(kib, f), 0);

  const html = readFileSync(join(dist, "index.html"), "utf8");
  const linked = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map((m) => m[1]!);
  const first = closure(chunks, ["index.html", ...linked]);
  const lazy: Record<string, number> = {};
  const brings = new Map<string, string[]>();
  for (const chunk of chunks.values()) {
    for (const { file, styles } of chunk.lazies) {
      const more = [...closure(chunks, [file, ...styles])].filter((f) => !first.has(f));
      lazy[file] = Math.max(lazy[file] ?? 0, sum(more));
      brings.set(file, more);
    }
  }
  const named = (name: RegExp): string[] => {
    const found = [...brings.keys()].filter((f) => name.test(f));
    if (found.length !== 1) throw new Error(`${found.length} files are called ${name}`);
    return brings.get(found[0]!)!;
  };
  const beyond = (file: RegExp, after: RegExp): number => {
    const had = new Set(named(after));
    return sum(named(file).filter((f) => !had.has(f)));
  };
  return { first: { kib: sum(first), files: [...first] }, lazy, beyond, all: sum(kib.keys()) };
}

function size(kib: Map<string, number>, file: string): number {
  const found = kib.get(file);
  if (found === undefined) throw new Error(`${file} is needed and not there`);
  return found;
}

/** A file and all that it imports before it runs. */
function closure(chunks: Map<string, Chunk>, from: string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const f of chunks.get(file)?.statics ?? []) visit(f);
  };
  from.forEach(visit);
  return seen;
}

function chunkOf(code: string): Chunk {
  const statics: string[] = [];
  for (const node of parseAst(code).body) {
    if ("source" in node && node.source) statics.push(inAssets(node.source.value));
  }
  const named = /\bm\.f\|\|\(m\.f=(\[[^\]]*\])/.exec(code);
  const deps = named ? (JSON.parse(named[1]!.replaceAll("`", '"').replaceAll("'", '"')) as string[]) : [];
  const lazies = [
    ...code.matchAll(/\bimport\(["'`](\.\/[^"'`]+\.js)["'`]\)(?:[^;]{0,200}?__vite__mapDeps\(\[([\d,]*)\]\))?/g),
  ].map((m) => ({
    file: inAssets(m[1]!),
    styles: (m[2] ?? "")
      .split(",")
      .filter(Boolean)
      .map((i) => deps[Number(i)]!)
      .filter((f) => f.endsWith(".css")),
  }));
  return { statics, lazies };
}

const inAssets = (name: string): string => `assets/${name.replace(/^\.\//, "")}`;
