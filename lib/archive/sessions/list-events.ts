import { scalar } from "#db/statement.ts";
import type { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import type { EventsAnswer, EventView, eventsQuery } from "#lib/wire/events-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRows, eventViewOf, type ViewContext } from "./event-view.ts";
import { countedWeightsOf, weightsOf, type Weights } from "../load/event-weights.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { rewindsOf } from "../base/rewind-rows.ts";
import {
  allCompactionsOf,
  callsOf,
  compactionsOf,
  compactionSizes,
  promptSizes,
  remembered,
} from "../base/session-rows.ts";
import { wholeText } from "../artifacts/whole-text.ts";

export type EventsQuery = z.infer<typeof eventsQuery>;

/** `counted`: texts that are not counted yet are, before the answer is given. */
type Counting = { readonly counted?: boolean };

const weighing = (archive: Archive, pk: number, counted: boolean): Weights | Promise<Weights> =>
  counted ? countedWeightsOf(archive, pk) : weightsOf(archive, pk);

/** Events of a session in order, with long texts cut. `next` is the seq to go on from, or null. */
export async function listEvents(
  archive: Archive,
  name: string,
  query: EventsQuery,
  { counted = false }: Counting = {},
): Promise<EventsAnswer> {
  const pk = findSession(archive, name);
  const types = (query.type ?? "").split(",").filter((type) => type !== "");
  const range = { from: query.from, to: query.to ?? 2 ** 32 - 1, limit: query.limit + 1, types };
  const rows = eventRows(archive, pk, range);
  const context = viewContext(archive, pk, await weighing(archive, pk, counted));
  const events = rows.slice(0, query.limit).map((row) => eventViewOf(archive, context, row, null));
  const beyond = rows[query.limit];
  return { events, next: beyond === undefined ? null : seqOfRow(beyond.id) };
}

/** One event with its whole text, from the blob where it was kept apart. */
export async function getEvent(
  archive: Archive,
  name: string,
  seq: number,
  { counted = false }: Counting = {},
): Promise<EventView> {
  const pk = findSession(archive, name);
  const [row] = eventRows(archive, pk, { from: seq, to: seq, limit: 1, types: [] });
  if (row === undefined) fail("not_found", `Session ${name} has no event ${seq}.`);
  const context = viewContext(archive, pk, await weighing(archive, pk, counted));
  const body = JSON.parse(row.body) as { text?: string; saw?: string };
  const whole =
    (row.artifact !== null && body.saw === "full" ? await wholeText(archive, row.artifact) : null) ?? body.text ?? null;
  return eventViewOf(archive, context, row, whole);
}

function viewContext(archive: Archive, pk: number, weights: Weights): ViewContext {
  const file = scalar(
    archive.sqlite,
    "sources.path",
    "SELECT f.path FROM sessions s JOIN sources f ON f.pk = s.source_pk WHERE s.pk = ?",
  ).get(pk);
  return {
    pk,
    file: file ?? "",
    weights,
    undoneBy: remembered(
      archive,
      "undone",
      pk,
      () => new Map(allCompactionsOf(archive, pk).flatMap(({ seq, undoneBy }) => (undoneBy ? [[seq, undoneBy]] : []))),
    ),
    rewound: remembered(archive, "rewound", pk, () => rewoundSpans(archive, pk)),
    sizes: remembered(archive, "sizes", pk, () => {
      const calls = callsOf(archive, pk);
      const sized = [
        ...compactionSizes(compactionsOf(archive, pk), calls),
        ...promptSizes(rewindsOf(archive, pk), calls),
      ];
      return new Map(sized.map((one) => [one.seq, { before: one.tokensBefore, after: one.tokensAfter }]));
    }),
  };
}

/** Of each rewind the first and the last event that a model was sent, of those that it took out. */
function rewoundSpans(
  archive: Archive,
  pk: number,
): ReadonlyMap<number, { readonly from: number; readonly to: number }> {
  const sent = scalar(
    archive.sqlite,
    "events.id",
    "FROM events WHERE id BETWEEN ? AND ? AND category IS NOT NULL ORDER BY id",
  );
  return new Map(
    rewindsOf(archive, pk).flatMap(({ seq, after, seqs }) => {
      const gone = sent
        .all(...rowRange(pk, after + 1, seq - 1))
        .map(seqOfRow)
        .filter((one) => seqs.has(one));
      return gone.length === 0 ? [] : [[seq, { from: gone[0]!, to: gone.at(-1)! }] as const];
    }),
  );
}
