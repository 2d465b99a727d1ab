// The records of the old file of which something goes on, read from the archive's bytes one after the other: a file of 100 MB is
// never held.
import { columns, query } from "#db/statement.ts";
import type { Continuation, KeptRecord } from "#lib/kernel/continuation.ts";
import { isNamedPart } from "#lib/kernel/request-records.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId } from "../base/row-keys.ts";
import { recordIn } from "../import/record-in.ts";
import { rawRanges } from "../import/raw-writer.ts";
import type { ContextRow } from "../memory/context-rows.ts";
import type { ReplacedOutputs } from "./replaced-outputs.ts";

/** What stays of a context: what a model is sent, and of the notes those that the agent wants. */
export function stayingRows(
  rows: readonly ContextRow[],
  whole: readonly ContextRow[],
  { latest, notes, endings = [] }: Pick<Continuation, "latest" | "notes" | "endings">,
): ContextRow[] {
  // System prompt and tools are the agent's own, and it sends them by itself.
  const stays = new Set(whole.filter((row) => isSent(row) && !isOfAgent(row)).map(({ seq }) => seq));
  for (const subtype of latest) {
    const last = rows.findLast(({ body }) => body.type === "meta" && body.subtype === subtype);
    if (last !== undefined) stays.add(last.seq);
  }
  const waiting = new Map<string, number>();
  let isStretch = false;
  for (const { seq, body } of rows) {
    const name = noteName(body);
    if (name !== null && notes.includes(name)) waiting.set(name, seq);
    if (isStretch && name !== null && endings.includes(name)) {
      stays.add(seq);
      isStretch = false;
      continue;
    }
    if (!stays.has(seq)) continue;
    isStretch = true;
    for (const note of waiting.values()) stays.add(note);
    waiting.clear();
  }
  return rows.filter(({ seq }) => stays.has(seq));
}

/** A message that failed may hold what was said before; that it was tried again says nothing of it. */
const noteName = (body: ContextRow["body"]): string | null =>
  body.type === "meta" ? body.subtype : body.type === "error" && body.code !== "retry" ? "error" : null;

export const isOfAgent = ({ label }: ContextRow): boolean => isNamedPart(label);

const isSent = ({ isSent: sent, body }: ContextRow): boolean =>
  sent || body.type === "compaction" || body.type === "reasoning";

type Range = { readonly start: number; readonly end: number; readonly seqs: number[] };

/** Lazily: each record is read when it is its turn. */
export function* keptRecords(
  archive: Archive,
  { pk, sourcePk }: { readonly pk: number; readonly sourcePk: number },
  rows: readonly ContextRow[],
  replaced: ReplacedOutputs,
): Generator<KeptRecord> {
  const find = query(archive.sqlite, columns("events", "byte_start", "byte_end"), "FROM events WHERE id = ?");
  const ranges = new Map<number, Range>();
  for (const { seq } of rows) {
    const range = find.get(eventRowId(pk, seq));
    if (range === undefined) continue;
    const known = ranges.get(range.byte_start);
    if (known === undefined)
      ranges.set(range.byte_start, { start: range.byte_start, end: range.byte_end, seqs: [seq] });
    else known.seqs.push(seq);
  }
  const bytes = rawRanges(archive, sourcePk);
  for (const { start, end, seqs } of ranges.values()) {
    const value = recordIn(bytes(start, end));
    if (value === null) continue;
    const own = seqs.flatMap((seq) => replaced.get(seq) ?? []);
    yield { value, bytes: end - start, seqs, replaced: new Map(own.map((one) => [one.toolCallId, one.text])) };
  }
}

/** The first three records of the file. */
export function headRecords(archive: Archive, sourcePk: number): unknown[] {
  const bytes = rawRanges(archive, sourcePk)(0, HEAD_BYTES);
  const lines = Buffer.from(bytes).toString("utf8").split("\n", 3);
  return lines.map((line) => recordIn(Buffer.from(line)));
}

/** The first record of Codex holds its instructions. */
const HEAD_BYTES = 1024 * 1024;
