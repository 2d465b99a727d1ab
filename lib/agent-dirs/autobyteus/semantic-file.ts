// semantic.jsonl of the second generation is written whole, and only in its own shape: a single line of another shape and
// its code empties the file.
import type { SemanticItem } from "#lib/kernel/memory/memory-types.ts";
import { fail } from "#lib/kernel/errors.ts";
import { isSemanticRecord, passesGate, semanticLine, semanticOf } from "./memory-items-file.ts";
import { readObject, type Line, type Lines } from "./trace-lines.ts";

export type SemanticFile = {
  readonly bytes: Buffer;
  /** Lines that hold no fact that could be kept. */
  readonly leftOut: readonly Line[];
};

/** The file with these items behind its own. A line that has the shape keeps its bytes; a fact of another shape gets it. */
export function rewrittenSemantic(file: Lines, items: readonly SemanticItem[]): SemanticFile {
  const leftOut: Line[] = [];
  const kept = file.lines.flatMap((line) => {
    if (line.records.length === 0 && line.bytes.toString("utf8").trim() === "") return [];
    if (line.records.length === 1 && line.records.every(({ value, at }) => at === line.at && passesGate(value)))
      return [line.bytes, Buffer.from("\n")];
    const facts = line.records.filter(({ value }) => isSemanticRecord(value)).map(({ value }) => semanticOf(value));
    const texts = facts.map((fact) => semanticLine(fact, 2)).filter(isLawful);
    if (texts.length === 0) leftOut.push(line);
    return texts.map((text) => Buffer.from(text));
  });
  const added = items.map((item) => semanticLine(item, 2));
  const odd = added.findIndex((text) => !isLawful(text));
  if (odd >= 0)
    fail(
      "invalid",
      `The fact "${items[odd]!.fact}" cannot be saved. It is blank, or its time or salience is not a number.`,
    );
  return { bytes: Buffer.concat([...kept, ...added.map((text) => Buffer.from(text))]), leftOut };
}

const isLawful = (text: string): boolean => passesGate(readObject(Buffer.from(text)));

/** What its code writes when it starts, and looks for: folders with it are of the second generation. */
export const compactedManifest = (nowMs: number): string => JSON.stringify({ schema_version: 3, last_reset_ts: nowMs });
