// Lines of a text artifact by number, for the page: a window of a log of any size, by its line index. Long lines are cut,
// and say how long they are.
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { LinesAnswer } from "#lib/wire/artifacts-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { bytesOf, charsBefore, endOfLine, startOfLine, storedText } from "./read-artifact-index.ts";
import type { StoredText } from "./read-artifact-index.ts";
import { requireLive, resolveArtifact } from "./resolve.ts";

type Line = LinesAnswer["lines"][number];

/** A window up to this size is read at once; one of longer lines line by line (bytes). */
const WINDOW_BYTES = 4 * 1024 * 1024;

type LineQuery = { readonly from: number; readonly count: number; readonly chars?: number };

/** Lines of a text artifact. A line longer than `chars` is cut, and says how long it is. */
export async function artifactLines(archive: Archive, ref: string, query: LineQuery): Promise<LinesAnswer> {
  const row = requireLive(archive, resolveArtifact(archive, ref), ref);
  if (row.line_count === null)
    fail("unsupported", `${row.name ?? ref} is ${row.content_type}, not text. Download it instead.`);
  const { from, chars = LIMITS.lineChars } = query;
  const lineCount = row.line_count;
  const last = Math.min(lineCount, from + query.count - 1);
  if (last < from) return { from, lines: [], lineCount };
  const text = await storedText(archive, row.digest, row.size);
  const start = (await startOfLine(text, from)) ?? 0;
  const end = await endOfLine(text, last);
  const lines =
    end - start <= WINDOW_BYTES
      ? decode(await bytesOf(text, start, end))
          .split("\n")
          .map((line) => shortened(line, chars))
      : await oneByOne(text, from, last, chars);
  return { from, lines, lineCount };
}

async function oneByOne(text: StoredText, from: number, last: number, most: number): Promise<Line[]> {
  const lines: Line[] = [];
  for (let line = from; line <= last; line++) {
    const start = (await startOfLine(text, line)) ?? 0;
    const end = await endOfLine(text, line);
    // A code point takes four bytes at most, and the last one here may be cut.
    if (end - start <= 4 * most) lines.push(shortened(decode(await bytesOf(text, start, end)), most));
    else {
      const chars = (await charsBefore(text, end)) - (await charsBefore(text, start));
      const head = decode(await bytesOf(text, start, start + 4 * most));
      lines.push({ ...shortened(head, most), chars, cut: chars > most });
    }
  }
  return lines;
}

function shortened(line: string, most: number): Line {
  const clean = line.endsWith("\r") ? line.slice(0, -1) : line;
  return { text: clean.slice(0, most).toWellFormed(), chars: clean.length, cut: clean.length > most };
}

const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
