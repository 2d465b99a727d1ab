import { getEvent, listEvents } from "#lib/archive/sessions/list-events.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { lastSeqOf } from "#lib/archive/memory/context-rows.ts";
import { EVENT_TYPES, type EventType } from "#lib/kernel/event.ts";
import { eventRow, type EventRow, type EventView } from "#lib/wire/events-schema.ts";
import { reading } from "./open-archive.ts";
import { bytes, marked, oneLine, printJson } from "./print.ts";
import { numberOption, textOption, WrongWords, type Run } from "./args.ts";

/** Events printed at once unless --to says otherwise; `next` says where to go on. */
const AT_ONCE = 1000;
/** As every other command: texts that the server did not count yet are counted for the answer. */
const COUNTED = { counted: true } as const;

export const run: Run = (words) => {
  const from = numberOption(words, "from", 1);
  const to = numberOption(words, "to", 2 ** 32 - 1);
  const type = textOption(words, "type");
  const unknown = type?.split(",").find((one) => !EVENT_TYPES.includes(one as EventType));
  if (unknown !== undefined) throw new WrongWords(`No event type "${unknown}". Known: ${EVENT_TYPES.join(", ")}.`);
  return reading(words, async (archive) => {
    const rows: EventRow[] = [];
    let next: number | null = from;
    const limit = words.options["to"] === undefined ? AT_ONCE : Infinity;
    while (next !== null && rows.length < limit) {
      const page: { events: EventView[]; next: number | null } = await listEvents(
        archive,
        words.args[0]!,
        { from: next, to, type, limit: 500 },
        COUNTED,
      );
      for (const view of page.events)
        rows.push(eventRow.parse(view.textCut ? await getEvent(archive, words.args[0]!, view.seq, COUNTED) : view));
      next = page.next;
    }
    if (words.options["json"] === true) {
      printJson({ events: rows, next });
      return;
    }
    if (rows.length === 0) {
      const last = lastSeqOf(archive, findSession(archive, words.args[0]!));
      console.log(last === 0 ? "The session has no events." : `No events here. The session ends with event ${last}.`);
    }
    for (const row of rows)
      console.log(
        `${String(row.seq).padStart(6)}  ${row.type.padEnd(11)}  ${marked(row.tokens, row.origin).padStart(9)}  ${bytes(row.bytes).padStart(8)}  ${oneLine(`${row.toolName ?? ""} ${row.text ?? ""}`, 100)}`,
      );
    if (next !== null) console.log(`… more: --from ${next}`);
  });
};
