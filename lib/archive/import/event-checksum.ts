// What an event's row is checked by: 32 bits over what is written once, and above them what is set later, the number of its
// call and whether it is inherited. Rows of older releases have the first of two steps alone, over what the event says.
import { crc32 } from "node:zlib";
import { columns, type Columns, type RowOf } from "#db/statement.ts";
import { asStored } from "#db/row-sums.ts";
import { Utf8 } from "../base/utf8-encoder.ts";

/** An event's row with all that its checksum is over. */
export const EVENT_ROW = {
  ...columns("events", "id", "type", "ts", "turn", "call", "keyed", "bytes", "digest", "artifact", "category", "label"),
  ...columns("events", "synthetic", "inherited", "body", "checksum"),
  toolCallId: "events.tool_call_id",
  toolName: "events.tool_name",
  recordKey: "events.record_key",
  extraTokens: "events.extra_tokens",
  startsTurn: "events.starts_turn",
  byteStart: "events.byte_start",
  byteEnd: "events.byte_end",
} as const satisfies Columns;
export type EventRow = RowOf<typeof EVENT_ROW>;
export type EventColumns = Omit<EventRow, "body" | "checksum">;

const BITS_32 = 2 ** 32;
/** A prime of 20 bits: another call number has another rest, whichever of its bits turned. */
const CALLS = 1_048_573;

/** SQL that sets the call of an event, given twice, and its checksum. */
export const SET_CALL = `call = ?, checksum = (checksum & 8589934591) | ((? % ${CALLS}) << 33)`;

/** SQL that sets whether an event is inherited, and its checksum; the condition is asked once. */
export const setInherited = (condition: string): string =>
  `(inherited, checksum) = (WITH found ("is") AS MATERIALIZED (SELECT ${condition})
     SELECT found."is", (checksum & ~4294967296) | (found."is" << 32) FROM found)`;

const JSON_TEXT = new Utf8();

/** The UTF-8 of a body, until the next is asked for, and the checksum of its row. */
export function summed(row: EventColumns, body: string): { json: Buffer; checksum: number } {
  const { json, said } = sumSaid(row, body);
  return { json, checksum: sumRest(row, said) + laterOf(row) * BITS_32 };
}

export const eventChecksum = (row: Omit<EventRow, "checksum">): number => summed(row, row.body).checksum;

/** Null for a row as it was written, else the column that changed, where one alone can have. */
export function wrongColumn(row: EventRow): string | null {
  const { said } = sumSaid(row, row.body);
  const sum = row.checksum % BITS_32;
  const later = Math.floor(row.checksum / BITS_32);
  const isOld = sum === said;
  if (!isOld && sum !== sumRest(row, said)) return "";
  const call = Math.floor(later / 2);
  const isInherited = later % 2;
  // What was set later of a row of an older release is there for what was set since.
  if (call !== callOf(row) && !(isOld && call === 0)) return "call";
  if (isInherited !== row.inherited && !(isOld && isInherited === 0)) return "inherited";
  return null;
}

const callOf = ({ call }: EventColumns): number => (call ?? 0) % CALLS;
const laterOf = (row: EventColumns): number => callOf(row) * 2 + row.inherited;

function sumSaid(row: EventColumns, body: string): { json: Buffer; said: number } {
  const head = `${row.type}\u0001${row.ts ?? ""}\u0001${row.turn}\u0001${row.byteStart}\u0001${row.byteEnd}\u0001`;
  const bytes = JSON_TEXT.encode(head + body);
  return { json: bytes.subarray(head.length), said: crc32(bytes) };
}

function sumRest(row: EventColumns, said: number): number {
  const { recordKey, digest } = row;
  const keys = `${latin1(recordKey)}\u0001${latin1(digest)}`;
  const flags = `${row.keyed} ${row.startsTurn} ${row.synthetic} ${row.extraTokens} ${row.bytes} ${row.id}`;
  const texts = `${row.toolCallId}\u0001${row.toolName}\u0001${row.artifact}\u0001${row.category}\u0001${row.label}`;
  return crc32(asStored(`${keys}\u0001${flags}\u0001${texts}`), said);
}

const latin1 = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : (bytes as Buffer).toString("latin1");
