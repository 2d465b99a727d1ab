// A large archive made of a few real sessions: each copy has ids of its own, so that it is no copy to the archive, and other
// words in its texts, so that nothing is counted or stored once for all of them. What a format goes by stays as it was.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export type Varied = { readonly files: number; readonly bytes: number };

/** Smaller files are a call or two: they would make the archive's sessions many, and its sum no larger. */
const LEAST_BYTES = 2500;

/** Writes round after round of the files below `paths` into `dir`, until it holds so many bytes. */
export function writeVaried(paths: readonly string[], dir: string, bytes: number): Varied {
  const files = paths.flatMap((path) => sessionFiles(path).map((name) => ({ path, name })));
  const result = { files: 0, bytes: 0 };
  for (let seed = 1; result.bytes < bytes; seed++) {
    const vary = variedBy(seed);
    const before = result.bytes;
    for (const { path, name } of files) {
      if (result.bytes >= bytes) break;
      const to = join(dir, `round-${seed}`, basename(path), vary.ids(name));
      const text = readFileSync(join(path, name), "utf8").split("\n").map(vary.line).join("\n");
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, text);
      result.files++;
      result.bytes += Buffer.byteLength(text);
    }
    if (result.bytes === before) throw new Error(`There is no session to vary below ${paths.join(", ")}.`);
  }
  return result;
}

const sessionFiles = (path: string): string[] =>
  (readdirSync(path, { recursive: true }) as string[])
    .filter((name) => name.endsWith(".jsonl") && statSync(join(path, name)).size >= LEAST_BYTES)
    .toSorted();

const UUID = /\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8})([0-9a-f]{4})\b/g;
const API_ID = /\b(?:msg|req|toolu|call|fc|rs|ctc)_[A-Za-z0-9]{12,}/g;
/** Fields that hold an id even where it is no uuid. */
const ID_FIELDS = new Set(["uuid", "parentUuid", "logicalParentUuid", "leafUuid", "sessionId", "messageId"]);
/** Fields that are not words: a format or a price goes by them, or they are sealed. */
const KEPT_FIELDS = new Set(
  "type subtype role model name timestamp version gitBranch cwd signature encrypted_content data status originator".split(
    " ",
  ),
);
/** Shorter strings are names and kinds. */
const LEAST_CHARS = 40;
/** A text's first words tell formats what it is. */
const HEAD_CHARS = 48;
/** Words of the agents' own markers inside texts. */
const MARKER =
  /^(?:output|preview|truncated|tokens?|lines|process|exited|original|persisted|characters|system|command)/i;
const WORD = /[A-Za-z_][A-Za-z0-9_]{5,}/g;
const ONE_WORD_IN = 10;

/** Changes that are the same for the same seed, and for the same word, id or text wherever it stands. */
export function variedBy(seed: number): { line(line: string): string; ids(text: string): string } {
  const words = new Map<string, string>();
  const word = (plain: string): string => {
    const known = words.get(plain);
    if (known !== undefined) return known;
    const made = hash(plain, seed) % ONE_WORD_IN === 0 && !MARKER.test(plain) ? `${plain}x${seed}` : plain;
    words.set(plain, made);
    return made;
  };
  const ids = (text: string): string =>
    text
      .replace(UUID, (_, head: string, tail: string) => head + shifted(tail, seed))
      .replace(API_ID, (id) => `${id}v${seed}`);
  const text = (plain: string): string =>
    plain.replace(WORD, (found, at: number) => {
      const isName = plain[at - 1] === "<" || plain[at - 1] === "/" || plain.startsWith('":', at + found.length);
      return at < HEAD_CHARS || isName ? found : word(found);
    });
  const value = (field: string, held: unknown): unknown => {
    if (typeof held === "string") {
      if (ID_FIELDS.has(field)) return ids(held) === held && held !== "" ? `${held}-${seed}` : held;
      return held.length < LEAST_CHARS || KEPT_FIELDS.has(field) ? held : text(held);
    }
    if (Array.isArray(held)) return held.map((one) => value(field, one));
    if (held === null || typeof held !== "object") return held;
    return Object.fromEntries(Object.entries(held).map(([name, one]) => [name, value(name, one)]));
  };
  const line = (plain: string): string => {
    let record: unknown;
    try {
      record = JSON.parse(plain);
    } catch {
      // Some collected lines are broken on purpose, and stay so.
      return ids(plain);
    }
    return ids(JSON.stringify(value("", record)));
  };
  return { line, ids };
}

const shifted = (hex: string, seed: number): string =>
  ((Number.parseInt(hex, 16) + seed * 257) % 65_536).toString(16).padStart(4, "0");

function hash(text: string, seed: number): number {
  let sum = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return (sum ^ (sum >>> 15)) >>> 0;
}
