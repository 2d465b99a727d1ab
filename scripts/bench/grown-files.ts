// What the bench imports of a format: a fixture of it, with its records again and again under other names, and texts so long that a
// record has as many bytes as asked, in the mean.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import type { KnownFormat } from "#lib/wire/sources-schema.ts";
import { CONVERSATION } from "./generated-conversation.ts";
import { lengthOf, textOf } from "./generated-text.ts";
import { CONVERSATIONS } from "./grown-traces.ts";
import { ROOT } from "./measure-run.ts";

const FIXTURES = join(ROOT, "lib/formats/fixtures");

/** Fixtures whose records are those of one conversation; of other formats the largest is. */
const FIXTURE: Readonly<Record<string, string>> = {
  messages: "messages-synthetic-chat.json",
};

/** Agents whose files are named after their sessions: any other name is looked for in the whole file. */
const NAMED: Readonly<Record<string, string>> = { "claude-code": "0b9d3c52-5a0e-4a51-9a0f-2f4de0c1a001.jsonl" };

/** Lists that hold a document's records, where the longest one does not: these hold messages that repeat, and whole runs. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "swe-agent": ["trajectory", "history"],
};

export type Grown<Content = string | Uint8Array> = { readonly name: string; readonly content: Content };

/** Bytes of a record in the mean, and how much of them is text that its events show: the rest stands beside it. */
export type Density = { readonly bytes: number; readonly shown: number };

/** A file of some `size` bytes. */
export function grownFile({ id }: Pick<KnownFormat, "id">, size: number, density: Density): Grown<string> {
  const name = FIXTURE[id] ?? largestFixture(id);
  const fixture = readFileSync(join(FIXTURES, name), "utf8");
  return { name: NAMED[id] ?? name, content: grown({ id, name, fixture }, size, density) };
}

/** A log of Inspect AI as the zip that it writes: its samples one by one, and a header without them. */
export async function packedLog(format: Pick<KnownFormat, "id">, size: number, density: Density): Promise<Grown> {
  const { samples, ...header } = JSON.parse(grownFile(format, size, density).content) as { samples: Sample[] };
  const zip = new ZipFile();
  const add = (name: string, value: unknown): void => zip.addBuffer(Buffer.from(JSON.stringify(value)), name);
  for (const [n, sample] of samples.entries()) add(`samples/${sample.id}-${n}_epoch_${sample.epoch}.json`, sample);
  add("header.json", header);
  zip.end();
  return { name: "log.eval", content: await buffer(zip.outputStream as NodeJS.ReadableStream) };
}

type Sample = { readonly id: string; readonly epoch: number };

/** The one with the most of the format in it. */
function largestFixture(id: string): string {
  const names = readdirSync(FIXTURES).filter((name) => name.startsWith(`${id}-synthetic-`));
  const size = (name: string): number => readFileSync(join(FIXTURES, name)).length;
  return names.toSorted((a, b) => size(b) - size(a))[0]!;
}

type Fixture = { readonly id: string; readonly name: string; readonly fixture: string };

function grown({ id, name, fixture: text }: Fixture, size: number, density: Density): string {
  const conversations = CONVERSATIONS[id];
  if (conversations !== undefined) return conversations(text, size);
  if (name.endsWith(".txt")) return text.repeat(Math.ceil(size / text.length));
  if (name.endsWith(".jsonl")) {
    const lines = text.trim().split("\n");
    const records = lines.map((line) => JSON.parse(line) as unknown);
    const more = records.length > 2 ? records.slice(1) : records;
    // What a file begins with says what it is.
    return (
      [...lines.slice(0, 1), ...(id === "claude-trace" ? requests(more, size) : again(more, size, density))].join(
        "\n",
      ) + "\n"
    );
  }
  const document = JSON.parse(text) as Record<string, unknown[]>;
  const lists = LISTS[id]?.map((key) => document[key]!) ?? [longestList(document)];
  for (const list of lists) {
    const own = [...list];
    list.push(...again(own, size / lists.length, density).map((one) => JSON.parse(one) as unknown));
  }
  return JSON.stringify(document);
}

function* copies(records: readonly unknown[], size: number, { bytes: each, shown }: Density): Generator<string> {
  const words = wordsFor(records, each, shown);
  const beside = Math.max(0, each - meanBytes(records, words));
  let made = 0;
  let last: string | null = null;
  for (let [n, bytes] = [1, 0]; bytes < size; n++) {
    const ids = new Set<string>();
    for (const record of records) {
      const length = lengthOf(made++);
      const grownRecord = withRest(renamed(asUsual(record, n), "", n, words * length), n, beside * length);
      const copy = inChain(record, grownRecord, { n, ids, last: ids.size === 0 ? last : null });
      const line = JSON.stringify(copy);
      bytes += line.length + 1;
      yield line;
    }
    last = ids.size === 0 ? null : `${[...ids].at(-1)}${n}`;
  }
}

const PARENTS = ["parentId", "parentUuid"];

/** A copy goes on where the one before it ended: a record whose parent stands elsewhere would be a branch of the conversation. */
function inChain(
  record: unknown,
  copy: unknown,
  { n, ids, last }: { readonly n: number; readonly ids: Set<string>; readonly last: string | null },
): unknown {
  const given = record as Record<string, unknown>;
  const key = PARENTS.find((name) => name in given);
  const id = given["uuid"] ?? given["id"];
  if (key === undefined || typeof id !== "string") return copy;
  const parent = given[key];
  const isKnown = typeof parent === "string" && ids.has(parent);
  ids.add(id);
  if (!isKnown && last === null) return copy;
  return { ...(copy as object), [key]: isKnown ? `${parent}${n}` : last };
}

const again = (records: readonly unknown[], size: number, density: Density): string[] => [
  ...copies(records, size, density),
];

type Request = {
  readonly request: {
    readonly body: { readonly messages: readonly unknown[] };
  };
};

/** Requests as an agent sends them: the last of the fixture, with one more answer and result each time. */
function* requests(records: readonly unknown[], size: number): Generator<string> {
  const last = records.at(-1) as Request;
  let before: readonly unknown[] = [];
  for (let [n, bytes] = [0, 0]; bytes < size; n++) {
    const { request, ...rest } = renamed(last, "", n, REQUEST_WORDS) as Request;
    const [asked, ...more] = request.body.messages;
    before = n % CONVERSATION === 0 ? [asked] : [...before, ...more.slice(0, 2)];
    const line = JSON.stringify({
      request: { ...request, body: { ...request.body, messages: before } },
      ...rest,
    });
    bytes += line.length + 1;
    yield line;
  }
}

/** Names of the session and of what it belongs to stay. */
const KEPT = /session|thread|conversation|trace|parent|project|user|agent|composer|instance|model|tool_?name/i;
/** Words of a text of an answer, of which each request holds many. */
const REQUEST_WORDS = 90;
/** Words that a text grows by, at a time and at most. */
const [WORDS_STEP, WORDS_MOST] = [10, 1440];

/** Words of each text, for records of so many bytes of which so much is shown. */
function wordsFor(records: readonly unknown[], each: number, shown: number): number {
  const least = meanBytes(records, 0);
  const most = Math.min(each, least + each * shown);
  let words = 0;
  while (words < WORDS_MOST && meanBytes(records, words) < most) words += WORDS_STEP;
  return words;
}

const meanBytes = (records: readonly unknown[], words: number): number =>
  JSON.stringify(records.map((record) => renamed(asUsual(record, 1), "", 1, words))).length / records.length;

/** What stands beside the text that a record shows: lines of an edited file and of its difference, as clients add them for themselves. */
function withRest(record: unknown, n: number, bytes: number): unknown {
  if (bytes < REST_BYTES || typeof record !== "object" || record === null || Array.isArray(record)) return record;
  const half = Math.round(bytes / WORD_BYTES / 2);
  return { ...record, clientDetails: { before: textOf(n, half), after: textOf(n + 1, half), lines: [n, half] } };
}

/** Bytes of a word of such a text as JSON; less than so many are left out. */
const [WORD_BYTES, REST_BYTES] = [8.1, 120];

/**
 * A fixture shows each thing once, images and outputs that were put into a file too: collected sessions have 1.3 and 1.7 of them in
 * 1,000 events (Claude Code; ten others have no image). So one copy of some hundred has them.
 */
function asUsual(value: unknown, n: number): unknown {
  if (n % RARE === 0) return value;
  if (Array.isArray(value)) return value.filter((one) => !isImage(one)).map((one) => asUsual(one, n));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asUsual(one, n)]));
  return typeof value === "string" && value.includes("<persisted-output>") ? "An output of some lines." : value;
}

const RARE = 24;

/** A block of a message that is an image, and no message that holds one. */
function isImage(value: unknown): boolean {
  if (typeof value === "string") return IMAGE.test(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).some(isImage);
}

/** How the base64 of PNG, JPEG, GIF, WebP and PDF begins. */
const IMAGE = /^(?:data:image\/|iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBER)/;

/** The record of the nth time: other ids, and each text of some words grown. */
function renamed(value: unknown, key: string, n: number, words: number): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, key, n, words));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renamed(one, name, n, words)]));
  if (typeof value === "number") return key === "step_index" || key === "seq" ? n * 1000 + value : value;
  if (typeof value !== "string") return value;
  if (/id$/i.test(key) && !KEPT.test(key) && value.length < 80) return `${value}${n}`;
  if (
    !/^(?:text|content|thinking|output|result|value|summary|message|observation|response|thought)$/i.test(key) ||
    !value.includes(" ")
  )
    return value;
  return `${value} ${n} ${textOf(n, Math.round(words))}`;
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
