// Rows about the readers of JSON and tables, each with the sink that uses it, over bytes made in the run.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IndexScan } from "#lib/kernel/json-index/index-scan.ts";
import { ContentScan } from "#lib/kernel/artifacts/scan.ts";
import { ShapeReader, type ShapeKind } from "#lib/kernel/shape-tree/read-shape.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { runTask } from "./measure-run.ts";
import { median, times, verdict, type Row } from "./table.ts";

type Text = "document" | "lines" | "table";
/** Megabytes a second of the processor. */
type ReaderResult = { readonly speed: number };

const JSON_BYTES = 80_000_000;
const TABLE_BYTES = 40_000_000;
const PIECE_BYTES = 256 * 1024;
const TARGET = 150;
const WORDS = "the quick brown fox jumps over a lazy dog while reading long session logs of agents".split(" ");

const READERS: {
  readonly [name: string]: readonly [text: Text, read: (bytes: Uint8Array) => void];
} = {
  "JSON.parse": ["document", (bytes) => void JSON.parse(new TextDecoder().decode(bytes))],
  "what a document is, and its shape": ["document", scan],
  "what JSON lines are, and their shape": ["lines", scan],
  "what a table is": ["table", scan],
  "tree of a document's shape": ["document", (bytes) => shape("json", bytes)],
  "tree of the shape of lines": ["lines", (bytes) => shape("lines", bytes)],
  "tree of a table's shape": ["table", (bytes) => shape("table", bytes)],
  "index of a document": ["document", (bytes) => index(bytes, false)],
  "index of lines": ["lines", (bytes) => index(bytes, true)],
};

export const READER_TASKS = {
  async reader({ paths: [name, path] }: { readonly paths: readonly string[] }): Promise<ReaderResult> {
    const file = readFileSync(path!);
    const bytes = new Uint8Array(file.buffer, file.byteOffset, file.length);
    const took: number[] = [];
    for (let run = 0; run < 5; run++) {
      const before = process.threadCpuUsage();
      READERS[name!]![1](bytes);
      const { user, system } = process.threadCpuUsage(before);
      took.push(user + system);
    }
    return { speed: bytes.length / median(took) };
  },
};

/** Megabytes a second of the processor, against JSON.parse of the same document; a process each, as each has a thread. */
export async function readerRows(work: string): Promise<Row[]> {
  mkdirSync(work, { recursive: true });
  for (const [text, bytes] of Object.entries(textsOf())) writeFileSync(join(work, text), bytes);
  const speeds: (readonly [name: string, speed: number])[] = [];
  for (const [name, [text]] of Object.entries(READERS)) {
    const { speed } = await runTask<ReaderResult>("reader", { paths: [name, join(work, text)] });
    speeds.push([name, speed]);
  }
  const [[, parse], ...readers] = speeds as [(typeof speeds)[number], ...typeof speeds];
  return readers.map(([what, speed]) => ({
    what,
    measured: `${speed.toFixed(0)} MB/s`,
    against: `${parse.toFixed(0)} MB/s of JSON.parse`,
    ratio: times(speed / parse),
    target: `≥ ${TARGET} MB/s`,
    verdict: verdict(speed >= TARGET),
  }));
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function scan(bytes: Uint8Array): void {
  const reader = new ContentScan();
  for (const piece of pieces(bytes)) reader.add(piece);
  reader.end();
}

function shape(kind: ShapeKind, bytes: Uint8Array): void {
  const reader = new ShapeReader(kind);
  for (const piece of pieces(bytes)) reader.add(piece);
  reader.end(null);
}

function index(bytes: Uint8Array, isLines: boolean): void {
  const reader = new IndexScan(bytes, { isLines, mostBytes: LIMITS.jsonIndexBytes });
  while (!reader.run(2_000_000));
}

/** Records of every kind of value, with escapes and with letters that are not ASCII. */
function textsOf(): Record<Text, Uint8Array> {
  const words = (i: number, count: number): string =>
    Array.from({ length: count }, (_, at) => WORDS[(i * 7 + at * 3) % WORDS.length]).join(" ");
  const records = filled(JSON_BYTES, (i) =>
    JSON.stringify({
      id: i,
      name: `item ${i}`,
      ok: i % 3 === 0,
      score: ((i * 7919) % 1_000_003) / 1000,
      at: 1_700_000_000_000 + i * 977,
      tags: ["a", "b", "c"].slice(0, 1 + (i % 3)),
      note: i % 10 === 0 ? null : words(i, 4 + (i % 24)),
      quote: i % 7 === 0 ? 'he said "x"\n' : "é plain",
      nested: { x: i % 100, y: -i, list: [1, 2.5, 3e2] },
    }),
  );
  const rows = filled(TABLE_BYTES, (i) => `${i},item ${i},${(i % 1000) / 4},${words(i, 2 + (i % 9))},"a ""q"", b"`);
  const encoder = new TextEncoder();
  return {
    document: encoder.encode(`[${records.join(",")}]`),
    lines: encoder.encode(`${records.join("\n")}\n`),
    table: encoder.encode(`id,name,score,note,quoted\n${rows.join("\n")}\n`),
  };
}

function filled(bytes: number, one: (i: number) => string): string[] {
  const all: string[] = [];
  for (let size = 0; size < bytes; size += all.at(-1)!.length + 1) all.push(one(all.length));
  return all;
}
