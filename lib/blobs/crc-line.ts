// A line of JSON that carries the crc32 of itself without the crc: a damaged one is told from a whole one.
import { crc32 } from "node:zlib";
import { fail } from "#lib/kernel/errors.ts";

export type CheckedLine = {
  /** From 1. */
  readonly line: number;
  /** null when the line is damaged: torn, not JSON, or its crc does not fit. */
  readonly value: Record<string, unknown> | null;
  readonly raw: string;
};

/** The line, with its newline. */
export function lineOf(value: object): string {
  const json = JSON.stringify(value);
  if ("crc" in value) fail("invalid", 'A line may not have a field "crc" of its own: it is added to it.');
  return `${json.slice(0, -1)}${json === "{}" ? "" : ","}"crc":${crc32(json)}}\n`;
}

const CRC_AT_END = /,?"crc":(\d{1,10})\}$/;

/** A line without its newline. */
export function lineFrom(raw: string, line: number): CheckedLine {
  const found = CRC_AT_END.exec(raw);
  if (found === null) return { line, value: null, raw };
  const json = `${raw.slice(0, found.index)}}`;
  if (crc32(json) !== Number(found[1])) return { line, value: null, raw };
  try {
    return { line, value: JSON.parse(json) as Record<string, unknown>, raw };
  } catch {
    return { line, value: null, raw };
  }
}
