// Answers with reasoning that only the provider can read, as the items that it takes back. What was sealed is read from the
// archive's copy of the file's bytes when a request is made of it, and is stored nowhere else.
import { columns, query, select } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { callsOf, type Message } from "#lib/kernel/context/message.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId } from "../base/row-keys.ts";
import { rawRanges } from "../import/raw-writer.ts";
import type { ContextLog, ContextRow } from "./context-rows.ts";
import { recordIn } from "../import/record-in.ts";

type Item = Readonly<Record<string, unknown>>;
type ReadItem = (row: ContextRow) => Item | null;

export const isSealed = ({ body }: Pick<ContextRow, "body">): boolean =>
  body.type === "reasoning" && body.encrypted === true;

/** Messages whose sealed reasoning can be read from the file, with the items of their answers in order. */
export function withSealedItems(
  archive: Archive,
  pk: number,
  { rows }: Pick<ContextLog, "rows">,
  messages: readonly Message[],
): readonly Message[] {
  if (!rows.some(isSealed)) return messages;
  const read = sealedReader(archive, pk);
  if (read === null) return messages;
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return messages.map((message) => {
    const own = (message.seqs ?? []).flatMap((seq) => bySeq.get(seq) ?? []);
    if (message.role !== "assistant" || !own.some(isSealed)) return message;
    const items = itemsOf(message, own, read);
    return items.some(({ type }) => type === "reasoning") ? { ...message, outputItems: items } : message;
  });
}

function itemsOf(message: Message, rows: readonly ContextRow[], read: ReadItem): Item[] {
  const calls = callsOf(message);
  return rows.flatMap((row): Item[] => {
    const { body } = row;
    if (body.type === "reasoning") return isSealed(row) ? [read(row) ?? []].flat() : [];
    if (body.type === "assistant")
      return body.text === "" ? [] : [{ type: "message", role: "assistant", content: body.text }];
    if (body.type !== "tool_call") return [];
    const call = calls.find(({ id }) => id === body.toolCallId);
    const { functionCallItem = {} } = (call?.nativeToolCallContext ?? {}) as { functionCallItem?: Item };
    return call === undefined ? [] : [{ type: "function_call", ...functionCallItem, call_id: call.id }];
  });
}

/** Reads sealed items of a session, or null where its format has none. */
function sealedReader(archive: Archive, pk: number): ReadItem | null {
  const session = select(archive.sqlite, "sessions", ["format", "source_pk"], "WHERE pk = ?").get(pk)!;
  const sealedItem = FORMATS.find(({ id }) => id === session.format)?.sealedItem;
  if (sealedItem === undefined || session.source_pk === null) return null;
  const bytes = rawRanges(archive, session.source_pk);
  const rangeOf = query(archive.sqlite, columns("events", "byte_start", "byte_end"), "FROM events WHERE id = ?");
  return ({ seq }) => {
    const range = rangeOf.get(eventRowId(pk, seq));
    return range === undefined ? null : sealedItem(recordIn(bytes(range.byte_start, range.byte_end)));
  };
}
