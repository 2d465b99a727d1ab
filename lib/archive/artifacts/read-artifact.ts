// A part of a stored output that is bounded whatever is in it: lines by number, characters inside a long line, bytes in
// base64. Readings of a whole range that say how to go on add up to the exact bytes.
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import {
  byteOfChar,
  bytesOf,
  charsBefore,
  countStarts,
  endOfLine,
  startOfLine,
  storedText,
  type StoredText,
} from "./read-artifact-index.ts";

export type ReadAsk = {
  readonly startLine?: number | undefined;
  /** Inclusive. */
  readonly endLine?: number | undefined;
  /** Inside the first line, from 0. */
  readonly startChar?: number | undefined;
  readonly maxChars?: number | undefined;
};

export type ReadCaps = { readonly bytes: number; readonly lines: number; readonly chars: number };
export const READ_CAPS: ReadCaps = {
  bytes: LIMITS.readWholeBytes,
  lines: LIMITS.readLines,
  chars: LIMITS.readChars,
};

/** `cut`: how the reading goes on, or null when all that was asked for is here. */
export type TextPart =
  | { readonly kind: "text"; readonly text: string; readonly cut: string | null }
  | { readonly kind: "past end"; readonly lineCount: number }
  | { readonly kind: "past line"; readonly line: number; readonly chars: number };

export type BytesPart = { readonly data: Buffer; readonly nextByte: number | null };

/** What the last line of a cut reading may take: two numbers of 16 digits three times, and words. */
const NOTE_BYTES = 256;

/** Lines, or characters of one line. Fails with `unsupported` for what is no text. */
export async function readText(
  archive: Archive,
  row: ArtifactDbRow,
  ask: ReadAsk,
  caps: ReadCaps = READ_CAPS,
): Promise<TextPart> {
  if (row.line_count === null) fail("unsupported", `${row.content_type} of ${row.size} bytes is not text`);
  const isWhole = Object.values(ask).every((value) => value === undefined);
  if (isWhole && row.size <= caps.bytes)
    return { kind: "text", text: decode(await bytesOf({ archive, digest: row.digest }, 0, row.size)), cut: null };
  const line = ask.startLine ?? 1;
  if (line > row.line_count) return { kind: "past end", lineCount: row.line_count };
  const text = await storedText(archive, row.digest, row.size);
  const lines: Lines = { text, count: row.line_count, caps };
  if (ask.startChar !== undefined) return partOfLine(lines, line, ask);
  return (await wholeLines(lines, line, ask)) ?? partOfLine(lines, line, { ...ask, startChar: 0 });
}

/** Bytes from a position, or those of lines. */
export async function readBytes(archive: Archive, row: ArtifactDbRow, ask: ReadAsk, cap: number): Promise<BytesPart> {
  let start = ask.startChar ?? 0;
  let end = row.size;
  if (ask.startLine !== undefined || ask.endLine !== undefined) {
    if (row.line_count === null)
      fail("unsupported", `${row.content_type} has no lines. Give start_char, which counts bytes in base64`);
    const text = await storedText(archive, row.digest, row.size);
    const from = await startOfLine(text, ask.startLine ?? 1);
    start = Math.min(row.size, (from ?? row.size) + start);
    if (ask.endLine !== undefined) end = Math.min(row.size, (await endOfLine(text, ask.endLine)) + 1);
  }
  const wanted = Math.min(end, ask.maxChars === undefined ? end : start + ask.maxChars);
  const to = Math.max(start, Math.min(wanted, start + cap));
  return { data: await bytesOf({ archive, digest: row.digest }, start, to), nextByte: to < end ? to : null };
}

type Lines = { readonly text: StoredText; readonly count: number; readonly caps: ReadCaps };

/** As many whole lines as fit; null when not even the first does. */
async function wholeLines({ text, count, caps }: Lines, line: number, ask: ReadAsk): Promise<TextPart | null> {
  const wanted = Math.min(ask.endLine ?? count, count);
  const most = Math.min(wanted - line + 1, caps.lines);
  const start = (await startOfLine(text, line)) ?? 0;
  const window = await bytesOf(text, start, start + caps.bytes - NOTE_BYTES);
  const isEnd = start + window.length >= text.index.sizeBytes;
  let lines = 0;
  let end = 0;
  let chars = 0;
  while (lines < most && end < window.length) {
    const newline = window.indexOf(0x0a, end);
    if (newline < 0 && !isEnd) break;
    const next = newline < 0 ? window.length : newline + 1;
    if (ask.maxChars !== undefined) {
      chars += countStarts(window.subarray(end, next));
      if (chars > ask.maxChars) break;
    }
    lines++;
    end = next;
  }
  if (lines === 0) return null;
  const last = line + lines - 1;
  if (last < wanted)
    return {
      kind: "text",
      text: decode(window.subarray(0, end)),
      cut: `[lines ${line}–${last} of ${count}; continue with start_line=${last + 1}]`,
    };
  // Lines that were asked for come without the end of the last; the end of the output comes as it is.
  const isLastLine = start + end === text.index.sizeBytes;
  return { kind: "text", text: decode(window.subarray(0, isLastLine ? end : end - 1)), cut: null };
}

async function partOfLine({ text, count, caps }: Lines, line: number, ask: ReadAsk): Promise<TextPart> {
  const start = (await startOfLine(text, line)) ?? 0;
  const end = await endOfLine(text, line);
  const before = await charsBefore(text, start);
  const chars = (await charsBefore(text, end)) - before;
  const from = ask.startChar ?? 0;
  if (from > chars || (from === chars && from > 0)) return { kind: "past line", line, chars };
  const most = Math.min(ask.maxChars ?? caps.chars, caps.chars, chars - from);
  const first = from === 0 ? start : await byteOfChar(text, before + from);
  let window = await bytesOf(text, first, Math.min(end, first + Math.min(4 * most, caps.bytes - NOTE_BYTES)));
  window = window.subarray(0, lengthOfChars(window, most));
  const to = from + countStarts(window);
  const message = `[chars ${from}–${to} of ${chars} in line ${line}; continue with`;
  const isOver = to >= chars;
  const goesOn = line < count && (ask.endLine === undefined || ask.endLine > line);
  const cut = !isOver
    ? `${message} start_line=${line}, start_char=${to}]`
    : goesOn
      ? `${message} start_line=${line + 1}]`
      : null;
  return { kind: "text", text: decode(window), cut };
}

/** Bytes of the first `most` characters that lie here as a whole. */
function lengthOfChars(bytes: Uint8Array, most: number): number {
  let chars = 0;
  let at = 0;
  for (; at < bytes.length; at++) {
    if ((bytes[at]! & 0xc0) !== 0x80 && chars++ === most) return at;
  }
  // The last may be cut by the window: it is whole when its bytes are all here.
  let last = bytes.length - 1;
  while (last > 0 && (bytes[last]! & 0xc0) === 0x80) last--;
  const lead = bytes[last] ?? 0;
  const needs = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return last + needs > bytes.length ? last : bytes.length;
}

/** A byte order mark is part of the text. */
const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
