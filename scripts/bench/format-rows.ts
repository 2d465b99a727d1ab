// A row for each format: its import, durable, against reading and JSON.parse-ing the same bytes, at two sizes. The files are the fixtures
// of the format, with their records again and again under other names, and texts so long that a record has 1,000 bytes: those that were
// collected have 790 (pi), 1,000 (Copilot), 1,500 (Codex) and 2,600 (Claude Code) for each event.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_FORMATS } from "#lib/archive/import/known-formats.ts";
import type { KnownFormat } from "#lib/wire/sources-schema.ts";
import { ROOT, runTask } from "./measure-run.ts";
import { mb, ms, times, verdict, type Row } from "./table.ts";
import type { ImportResult, ParseResult } from "./tasks.ts";

const FIXTURES = join(ROOT, "lib/formats/fixtures");
const SIZES = [4e6, 16e6] as const;
const MOST = 10;
/** What four times the bytes may take, against four times the time. */
const LINEAR = 1.5;

export async function formatRows(work: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const format of KNOWN_FORMATS) {
    const row = await rowOf(join(work, format.id), format);
    // All of them take minutes.
    console.error(`${format.label} ${row.ratio}`);
    rows.push(row);
  }
  return rows;
}

async function rowOf(work: string, format: KnownFormat): Promise<Row> {
  mkdirSync(work, { recursive: true });
  const name = largestFixture(format);
  const measured: { readonly ratio: number; readonly took: number; readonly bytes: number }[] = [];
  for (const [i, size] of SIZES.entries()) {
    const path = join(work, `${i}-${name}`);
    writeFileSync(path, grown(format.id, name, readFileSync(join(FIXTURES, name), "utf8"), size));
    const floor = await runTask<ParseResult>("parse", { paths: [path] });
    const own = await runTask<ImportResult>("import", { paths: [path], dir: join(work, `archive-${i}`) });
    if (own.events < 2) throw new Error(`${format.label} read no events of ${path}.`);
    measured.push({ ratio: own.cpuMs / floor.cpuMs, took: own.cpuMs, bytes: floor.bytes });
  }
  const [small, large] = measured as [(typeof measured)[number], (typeof measured)[number]];
  // What an import costs once is a part of the small one.
  const growth = large.took / large.bytes / (small.took / small.bytes);
  return {
    what: `import of ${format.label}: ${mb(large.bytes)}, processor time`,
    measured: ms(large.took),
    against: `read and JSON.parse; ${mb(small.bytes)}: ${times(small.ratio)}`,
    ratio: times(large.ratio),
    target: `≤ ${MOST}×; per byte ≤ ${LINEAR}× of the small one`,
    verdict: verdict(large.ratio <= MOST, growth <= LINEAR),
  };
}

/** The one with the most of the format in it. */
function largestFixture({ id }: KnownFormat): string {
  const names = readdirSync(FIXTURES).filter((name) => name.startsWith(`${id}-synthetic-`));
  const size = (name: string): number => readFileSync(join(FIXTURES, name)).length;
  return names.toSorted((a, b) => size(b) - size(a))[0]!;
}

function grown(format: string, name: string, text: string, size: number): string {
  if (name.endsWith(".txt")) return text.repeat(Math.ceil(size / text.length));
  if (name.endsWith(".jsonl")) {
    const lines = text.trim().split("\n");
    const records = lines.map((line) => JSON.parse(line) as unknown);
    const more = records.length > 2 ? records.slice(1) : records;
    // What a file begins with says what it is.
    return (
      [...lines.slice(0, 1), ...(format === "claude-trace" ? requests(more, size) : again(more, size))].join("\n") +
      "\n"
    );
  }
  const document = JSON.parse(text) as unknown;
  const list = longestList(document);
  const own = [...list];
  list.push(...again(own, size).map((one) => JSON.parse(one) as unknown));
  return JSON.stringify(document);
}

function* copies(records: readonly unknown[], size: number): Generator<string> {
  const words = wordsFor(records);
  for (let [n, bytes] = [1, 0]; bytes < size; n++)
    for (const record of records) {
      const line = JSON.stringify(renamed(record, "", n, words));
      bytes += line.length + 1;
      yield line;
    }
}
const again = (records: readonly unknown[], size: number): string[] => [...copies(records, size)];

type Request = { readonly request: { readonly body: { readonly messages: readonly unknown[] } } };

/** Requests of one conversation in a conversation's logs: each has all messages before it. */
const CONVERSATION = 30;

/** Requests as an agent sends them: the last of the fixture, with one more answer and result each time. */
function* requests(records: readonly unknown[], size: number): Generator<string> {
  const last = records.at(-1) as Request;
  let before: readonly unknown[] = [];
  for (let [n, bytes] = [0, 0]; bytes < size; n++) {
    const { request, ...rest } = renamed(last, "", n, WORDS_LEAST) as Request;
    const [asked, ...more] = request.body.messages;
    before = n % CONVERSATION === 0 ? [asked] : [...before, ...more.slice(0, 2)];
    const line = JSON.stringify({ request: { ...request, body: { ...request.body, messages: before } }, ...rest });
    bytes += line.length + 1;
    yield line;
  }
}

/** Names of the session and of what it belongs to stay. */
const KEPT = /session|thread|conversation|trace|parent|project|user|agent|composer|instance|model|tool_?name/i;
const WORDS = "harbour keel tiller anchor ballast mooring capstan barnacle wake tide quay sluice buoy rudder".split(
  " ",
);
/** Words that a text grows by, and bytes that a record has then. */
const [WORDS_LEAST, WORDS_MOST, RECORD_BYTES] = [90, 1440, 1000];

function wordsFor(records: readonly unknown[]): number {
  let words = WORDS_LEAST;
  const bytes = (): number => JSON.stringify(records.map((record) => renamed(record, "", 1, words))).length;
  while (words < WORDS_MOST && bytes() < RECORD_BYTES * records.length) words *= 2;
  return words;
}

/** The record of the nth time: other ids, and each text of some words grown. */
function renamed(value: unknown, key: string, n: number, words: number): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, key, n, words));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renamed(one, name, n, words)]));
  if (typeof value === "number") return key === "step_index" || key === "seq" ? n * 1000 + value : value;
  if (typeof value !== "string") return value;
  if (/id$/i.test(key) && !KEPT.test(key) && value.length < 80) return `${value}${n}`;
  if (!/^(?:text|content|thinking|output|result|value|summary|message)$/i.test(key) || !value.includes(" "))
    return value;
  const more = Array.from({ length: words }, (_, i) => WORDS[(n * 31 + i * 7 + (i % 5)) % WORDS.length]);
  return `${value} ${n} ${more.join(" ")}`;
}

/** The list of a document that holds its records: the one with the most in it. */
function longestList(document: unknown): unknown[] {
  let best: { readonly list: unknown[]; readonly chars: number } | null = null;
  const visit = (value: unknown, depth: number): void => {
    if (Array.isArray(value) && value.length > 1) {
      const chars = JSON.stringify(value).length / (depth + 1);
      if (best === null || chars > best.chars) best = { list: value, chars };
    }
    if (depth < 4 && typeof value === "object" && value !== null)
      for (const one of Object.values(value)) visit(one, depth + 1);
  };
  visit(document, 0);
  if (best === null) throw new Error("A document without a list.");
  return (best as { readonly list: unknown[] }).list;
}
