// Lines of a text artifact by number, from an index of every 256th line: a window of a 100 MB log is one short read.
import type { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import type { LinesAnswer, linesQuery } from "#lib/wire/artifacts.ts";
import type { Archive } from "./archive.ts";
import type { ArtifactDbRow } from "./artifacts/artifact-row.ts";
import { findArtifact } from "./show-artifact.ts";

/** Characters of one line in an answer. */
const LINE_CHARS = 4000;

/** Lines of a text artifact. A long line is cut, and says how long it is. */
export async function artifactLines(
  archive: Archive,
  ref: string,
  query: z.infer<typeof linesQuery>,
): Promise<LinesAnswer> {
  const row = findArtifact(archive, ref);
  if (row.line_count === null)
    fail("unsupported", `${row.name ?? ref} is ${row.content_type}, not text. Download it instead.`);
  const index = await lineIndex(archive, row);
  const first = query.from - 1;
  const start = index.offsetOf(first);
  const end = index.offsetOf(first + query.count + INDEX_EVERY);
  if (start === null) return { from: query.from, lines: [], lineCount: row.line_count };
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of archive.blobs.read(row.digest, { start: start.at, end: end?.at ?? row.size }))
    text += decoder.decode(chunk, { stream: true });
  const lines = (text + decoder.decode()).split("\n").slice(start.skip, start.skip + query.count);
  if (end === null && lines.at(-1) === "" && first + lines.length > row.line_count) lines.pop();
  return {
    from: query.from,
    lines: lines.slice(0, query.count).map((line) => {
      const clean = line.endsWith("\r") ? line.slice(0, -1) : line;
      return { text: clean.slice(0, LINE_CHARS), chars: clean.length, cut: clean.length > LINE_CHARS };
    }),
    lineCount: row.line_count,
  };
}

type LineIndex = { offsetOf(line: number): { at: number; skip: number } | null };

/** Every how many lines an offset is kept: 100 MB of short lines need some 8,000 numbers. */
const INDEX_EVERY = 256;
const indexes = new Map<string, LineIndex>();

async function lineIndex(archive: Archive, row: ArtifactDbRow): Promise<LineIndex> {
  const held = indexes.get(row.digest);
  if (held !== undefined) return held;
  const offsets = [0];
  let line = 0;
  let position = 0;
  for await (const chunk of archive.blobs.read(row.digest)) {
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) {
      line++;
      if (line % INDEX_EVERY === 0) offsets.push(position + at + 1);
    }
    position += chunk.length;
  }
  const lines = row.line_count ?? 0;
  const index: LineIndex = {
    offsetOf: (wanted) => {
      if (wanted >= lines) return null;
      const slot = Math.floor(wanted / INDEX_EVERY);
      return { at: offsets[slot]!, skip: wanted - slot * INDEX_EVERY };
    },
  };
  indexes.set(row.digest, index);
  if (indexes.size > 64) indexes.delete(indexes.keys().next().value!);
  return index;
}
