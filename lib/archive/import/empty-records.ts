// Records without content: one event says how many follow each other. Their bytes are in the raw blocks.
import { command, query } from "#db/statement.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { labelOf } from "#lib/kernel/load/weigh.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId } from "../base/row-keys.ts";
import { EVENT_ROW, eventChecksum, type EventColumns } from "./event-checksum.ts";
import type { SessionWriter } from "./session-writer.ts";
import { exactly } from "#lib/kernel/exactly.ts";

export const EMPTY_RECORDS = "empty records";

/** A line end, or one of Windows. */
const GAP = 2;

type Row = EventColumns & { readonly body: string };

const bodyOf = (count: number): EventBody => ({
  type: "meta",
  subtype: EMPTY_RECORDS,
  text: `${exactly(count)} ${count === 1 ? "record" : "records"} without content.`,
});

/** Adds a run of records: to the event before, when that is such a run and ends where this one begins. */
export function writeEmptyRecords(archive: Archive, writer: SessionWriter, run: readonly SourceRecord[]): void {
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return;
  const { session } = writer;
  const id = eventRowId(session.pk, session.nextSeq - 1);
  const before = query(archive.sqlite, EVENT_ROW, `FROM events WHERE id = ? AND type = 'meta'`).get(id);
  const held = before === undefined ? 0 : countOf(before, first.byteStart);
  if (before === undefined || held === 0) {
    const draft = {
      kind: "event",
      lane: session.lane,
      ts: null,
      body: bodyOf(run.length),
      recordKey: null,
      callKey: null,
      startsTurn: false,
    } as const;
    writer.append([draft], { from: "file", record: { ...first, byteEnd: last.byteEnd } });
    session.records += run.length - 1;
    return;
  }
  const body = bodyOf(held + run.length);
  const row = {
    ...before,
    byteEnd: last.byteEnd,
    body: JSON.stringify(body),
    label: labelOf(body),
    bytes: Buffer.byteLength(body.type === "meta" ? body.text : ""),
  };
  command(
    archive.sqlite,
    "UPDATE events SET body = ?, label = ?, bytes = ?, byte_end = ?, checksum = ? WHERE id = ?",
  ).run(row.body, row.label, row.bytes, row.byteEnd, eventChecksum(row), id);
  session.records += run.length;
  writer.noteChange();
}

/** Records that an event stands for, when they end where others begin; else 0. */
function countOf(row: Row, byteStart: number): number {
  const body = JSON.parse(row.body) as { subtype: string; text: string };
  if (body.subtype !== EMPTY_RECORDS || byteStart - row.byteEnd > GAP) return 0;
  return Number(body.text.slice(0, body.text.indexOf(" ")).replaceAll(",", ""));
}
