// Names and keys that rows are found by.
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { TOLD } from "#lib/kernel/told-call.ts";

/** `s_` and 16 hex of the sha-256 of `<format>:<native id>`: the session's name in URLs and folders. */
export const publicSessionId = (nativeId: string): string => `s_${hash("sha256", nativeId, "hex").slice(0, 16)}`;

/** The name that doors take for the compaction of a run; agents call their runs what they like. */
export const compactionIdOf = (sessionId: string, runId: string): string =>
  `cmp_${hash("sha256", `${sessionId}\n${runId}`, "hex").slice(0, 16)}`;

/** Bits of a seq in the number of its row, for SQL. */
export const ROW_BITS = 32;
const SEQS = 2 ** ROW_BITS;
/** The row of an event: its session's key and its seq in one exact number. */
export const eventRowId = (sessionPk: number, seq: number): number => sessionPk * SEQS + seq;
/** First and last row of a session, or of a span of its seqs. */
export const rowRange = (sessionPk: number, from = 0, to = SEQS - 1): [number, number] => [
  eventRowId(sessionPk, from),
  eventRowId(sessionPk, to),
];
/**
 * The same of the search index. A number beyond 32 bits is bound as a float: columns make a whole number of it, FTS5 takes it for no
 * bound at all and looks through everything. Taking out a session of 16 events took 25 ms among 160,000, and was most of its reading again.
 */
export const SEARCH_RANGE = "search.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)";
export const sessionOfRow = (rowId: number): number => Math.floor(rowId / SEQS);
export const seqOfRow = (rowId: number): number => rowId % SEQS;

/** A key as an exported session carries it: the 16 bytes themselves, so that a copy of a record is known as a copy. */
export const exportedKey = (key: Uint8Array): string => `record:${Buffer.from(key).toString("hex")}`;

/** 16 bytes that stand for a record: what its format calls it, else its bytes. */
export function recordKey(key: string | null, bytes: Uint8Array): Buffer {
  if (key !== null && isExported(key)) return Buffer.from(key.slice(7), "hex");
  return hash("sha256", key ?? bytes, "buffer").subarray(0, 16);
}

const isExported = (key: string): boolean => key.startsWith("record:") && /^record:[0-9a-f]{32}$/.test(key);

/** The key of a call as its row has it. A record that may tell the call elsewhere is named by its bytes: its events are found by them. */
export const storedCallKey = (key: string): string =>
  !key.startsWith(TOLD) || isExported(key) ? key : exportedKey(recordKey(key.slice(TOLD.length), new Uint8Array()));

export const digestOf = (text: string | Uint8Array): Buffer => hash("sha256", text, "buffer");

/** A pointer that the same output of the same session gets again when its file is imported anew. */
export function pointerFor(...parts: readonly (string | number)[]): string {
  const hex = hash("sha256", parts.join("\n"), "hex");
  return `art:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Row checksum. Half of all random bit flips in a database file pass SQLite's own integrity check. */
export function checksumOf(...parts: readonly (string | number | null)[]): number {
  // The last part is the large one: it is summed where it stands, not copied behind the others first.
  const head = crc32(parts.slice(0, -1).join("\u0001") + (parts.length > 1 ? "\u0001" : ""));
  return crc32(String(parts.at(-1) ?? ""), head);
}
