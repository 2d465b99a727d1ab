// What a record says, piece by piece: a document of 100 MB is not held as its drafts, which take ten times its bytes.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { brokenEvent, oversizedDrafts } from "./broken-record.ts";
import { promptedTurns } from "./prompted-turns.ts";
import type { Problem } from "./source-row.ts";

export type DraftOptions = {
  /** Of a file whose beginning stands elsewhere. */
  readonly isPart: boolean;
  /** What it said when it was read before. */
  readonly read: readonly Draft[] | undefined;
};

export function* recordDrafts(
  format: Format,
  record: SourceRecord,
  state: unknown,
  { isPart, read }: DraftOptions,
): Generator<readonly Draft[]> {
  // Totals name the calls of records that the file still holds, too: these are not lost.
  for (const drafts of read === undefined ? piecesOf(format, record, state) : [read])
    yield turnsOf(format, isPart ? drafts.filter(({ kind }) => kind !== "lost") : drafts);
}

const turnsOf = ({ saysTurns }: Format, drafts: readonly Draft[]): readonly Draft[] =>
  saysTurns === true ? drafts : promptedTurns(drafts);

function piecesOf(format: Format, record: SourceRecord, state: unknown): Iterable<readonly Draft[]> {
  if (record.oversized === true) return [oversizedDrafts(record)];
  return format.pieces?.(record, state) ?? [format.parse(record, state)];
}

/** Drafts of each session in their order, and what could not be read, which stands in the log as well. */
export function byLane(drafts: readonly Draft[], record: SourceRecord) {
  const problems: Problem[] = [];
  const lanes = new Map<string, Draft[]>();
  for (const draft of drafts) {
    if (draft.kind === "problem") {
      const { kind: _, ...problem } = draft;
      problems.push(problem);
    }
    const event = draft.kind === "problem" ? brokenEvent(draft, record) : draft;
    if (event === null) continue;
    const lane = lanes.get(event.lane);
    if (lane === undefined) lanes.set(event.lane, [event]);
    else lane.push(event);
  }
  return { problems, lanes };
}
