// What a row of the list says of a continuation: indexed rows alone, as the list is asked for after every change.
import { query, scalar } from "#db/statement.ts";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { publicSessionId } from "../base/row-keys.ts";

type Continuation = Pick<SessionRow, "continues" | "continuedIn">;

export function continuationOf({ sqlite }: Archive, pk: number, nativeId: string): Continuation {
  const row = query(
    sqlite,
    { origin: "continuations.origin", predicted: "continuations.tokens_next", title: "sessions.title?" },
    `SELECT c.origin, c.tokens_next AS predicted, o.title FROM continuations c LEFT JOIN sessions o ON o.native_id = c.origin
     WHERE c.native_id = ? AND c.taken_back_at IS NULL ORDER BY c.pk DESC LIMIT 1`,
  ).get(nativeId);
  const after = scalar(
    sqlite,
    "continuations.native_id",
    `SELECT c.native_id FROM continuations c JOIN sessions s ON s.native_id = c.native_id
     WHERE c.origin = ? AND c.taken_back_at IS NULL ORDER BY c.pk DESC LIMIT 1`,
  ).get(nativeId);
  return {
    continues:
      row === undefined
        ? null
        : {
            id: publicSessionId(row.origin),
            title: row.title ?? "",
            predicted: row.predicted,
            real: firstPrompt(sqlite, pk),
          },
    continuedIn: after === undefined ? null : publicSessionId(after),
  };
}

/** Of the first call that is not copied. */
const firstPrompt = (sqlite: Archive["sqlite"], pk: number): number | null =>
  scalar(
    sqlite,
    "integer",
    `SELECT input_uncached + cache_read + cache_write FROM model_calls
     WHERE session_pk = ? AND inherited = 0 AND has_usage = 1 ORDER BY call LIMIT 1`,
  ).get(pk) ?? null;
