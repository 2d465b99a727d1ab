// What kind of text or bytes a tool's output is, from its own beginning and from the name that the tool was given.

const BY_EXTENSION: Readonly<Record<string, string>> = {
  json: "application/json",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  md: "text/markdown",
  html: "text/html",
  htm: "text/html",
  svg: "image/svg+xml",
  xml: "application/xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
};

/** Texts larger than this are judged by their first line, not parsed whole (characters). */
const PARSE_CHARS = 256 * 1024;

/** The content type of a text output: JSON and JSON lines by what they are, else `text/plain`. */
export function sniffText(text: string): string {
  const start = text.slice(0, 256).trimStart();
  if (start[0] !== "{" && start[0] !== "[") return "text/plain";
  const firstLine = text.slice(0, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n"));
  if (firstLine.length < text.trimEnd().length && start[0] === "{" && parses(firstLine)) return "application/x-ndjson";
  if (text.length > PARSE_CHARS) return /[}\]]\s*$/.test(text.slice(-64)) ? "application/json" : "text/plain";
  return parses(text) ? "application/json" : "text/plain";
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** How files of a kind begin, and where in them. */
const SIGNATURES: readonly (readonly [type: string, at: number, begins: string])[] = [
  ["image/png", 0, "\x89PNG"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["audio/wav", 8, "WAVE"],
  ["video/mp4", 4, "ftyp"],
  ["audio/mpeg", 0, "ID3"],
  ["application/ogg", 0, "OggS"],
  ["application/pdf", 0, "%PDF-"],
  ["application/zip", 0, "PK\x03\x04"],
  ["application/gzip", 0, "\x1f\x8b"],
  ["application/zstd", 0, "\x28\xb5\x2f\xfd"],
  ["application/vnd.sqlite3", 0, "SQLite format 3"],
  ["application/wasm", 0, "\x00asm"],
];

/** The content type of bytes that are no text, by how they begin. */
export function sniffBytes(head: Uint8Array): string {
  const start = String.fromCharCode(...head.subarray(0, 32));
  return SIGNATURES.find(([, at, begins]) => start.startsWith(begins, at))?.[0] ?? "application/octet-stream";
}

/** The content type that a file name stands for, or null. */
export function typeOfName(name: string): string | null {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension]! : null;
}

/** A name that a file may have on a person's disk: one that says of no kind gets the ending of its content type. */
export function withExtension(name: string, contentType: string): string {
  // An address ends in a host or a path of no file: `usegitai.com`, `…/docs`. `v3.0` has no ending either.
  const isNamed = /\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(name) && (!name.includes("://") || typeOfName(name) !== null);
  return isNamed ? name : `${name.replace(/[./ ]+$/, "") || "bytes"}.${extensionOf(contentType)}`;
}

export function extensionOf(contentType: string): string {
  if (contentType === "text/plain") return "txt";
  return Object.entries(BY_EXTENSION).find(([, type]) => type === contentType)?.[0] ?? "bin";
}
