// What a file's first bytes look like, in words: shown where a format was chosen, and where none was.
import { clip, isObject } from "./json.ts";

const MAGIC: readonly (readonly [string, readonly number[]])[] = [
  ["a zip archive", [0x50, 0x4b, 0x03, 0x04]],
  ["an empty zip archive", [0x50, 0x4b, 0x05, 0x06]],
  ["a gzip file", [0x1f, 0x8b]],
  ["a zstd file", [0x28, 0xb5, 0x2f, 0xfd]],
  ["an SQLite database", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66]],
  ["a PNG image", [0x89, 0x50, 0x4e, 0x47]],
  ["a JPEG image", [0xff, 0xd8, 0xff]],
  ["a PDF document", [0x25, 0x50, 0x44, 0x46]],
  ["UTF-16 text", [0xff, 0xfe]],
];

/** So much of a head is shown. */
const KEYS_BYTES = 65_536;
const KEYS_SHOWN = 8;
const KEY_CHARS = 40;

/** A noun phrase: "lines of JSON; the first has type "session", id, cwd". */
export function headShape(head: Uint8Array): string {
  if (head.length === 0) return "no bytes";
  for (const [name, magic] of MAGIC) if (magic.every((byte, at) => head[at] === byte)) return name;
  if (head.subarray(0, 4096).includes(0)) return "binary data";
  const text = new TextDecoder().decode(head.subarray(0, KEYS_BYTES)).trimStart();
  const first = text.split("\n", 1)[0]!;
  const record = parsed(first);
  if (isObject(record)) {
    const rest = text.slice(first.length).trim();
    const what = rest === "" ? "one JSON object with" : "lines of JSON; the first has";
    return `${what} ${keysOf(Object.keys(record), record)}`;
  }
  if (text.startsWith("{")) return `a JSON document with ${keysOf(topKeys(text))}`;
  if (text.startsWith("[")) {
    const keys = topKeys(text.slice(1).trimStart());
    return keys.length === 0 ? "a JSON array" : `a JSON array; its first item has ${keysOf(keys)}`;
  }
  return "text that is not JSON";
}

/** The keys of the object that a file begins with, as far as its head goes. */
export const headKeys = (head: Uint8Array): string[] => topKeys(new TextDecoder().decode(head).trimStart());

function keysOf(keys: readonly string[], record?: Readonly<Record<string, unknown>>): string {
  if (keys.length === 0) return "no keys";
  const shown = keys.slice(0, KEYS_SHOWN).map((key) => {
    const value = key === "type" ? record?.[key] : undefined;
    return typeof value === "string" ? `type "${clip(value, KEY_CHARS)}"` : clip(key, KEY_CHARS);
  });
  return shown.join(", ") + (keys.length > KEYS_SHOWN ? " …" : "");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The keys of the object that a text begins with, as far as the text goes. */
function topKeys(text: string): string[] {
  const keys: string[] = [];
  if (!text.startsWith("{")) return keys;
  let depth = 0;
  let isKey = false;
  for (let at = 0; at < text.length; at++) {
    const found = text[at]!;
    if (found === '"') {
      const from = at;
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
      const key = depth === 1 && isKey ? parsed(text.slice(from, at + 1)) : null;
      if (typeof key === "string") keys.push(key);
    } else if (found === "{" || found === "[") {
      depth++;
      isKey = found === "{";
    } else if (found === "}" || found === "]") {
      depth--;
      if (depth === 0) break;
    } else if (found === ",") isKey = true;
    else if (found === ":") isKey = false;
  }
  return keys;
}
