// Outputs that were offloaded before the search index held their stored text: their words are added once, in the
// background, a few artifacts at a time. How far it came is a setting, so that the next start goes on from there.
import { columns, command, query, scalar } from "#db/statement.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { eventRowId } from "../base/row-keys.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite, write } from "../base/write.ts";
import { storedHead } from "./stored-text.ts";

const FILLED = "search.filled";
/** Behind the last of them: what is stored since then is indexed when it is stored. */
const ALL = Number.MAX_SAFE_INTEGER;

export type FillOptions = {
  readonly signal?: AbortSignal;
  /** Awaited before each artifact is read: what does not wait for all of them. */
  readonly between?: () => Promise<void>;
};

const DUE_COLUMNS = columns("artifacts", "pk", "pointer");
type Filled = { readonly pk: number; readonly text: string | null };

/** Artifacts of sessions that we hold, after one of them, of which an event has the envelope alone. */
const DUE = `FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE a.pk > ? AND s.held = 1 AND a.seq IS NOT NULL
  AND a.saw = 'preview' AND a.line_count IS NOT NULL AND a.deleted_at IS NULL`;

/** Adds the stored text of every such artifact; how many got theirs. What is gone or damaged is skipped. */
export async function fillSearch(archive: Archive, { signal, between }: FillOptions = {}): Promise<number> {
  let filled = 0;
  for (;;) {
    await between?.();
    if (signal?.aborted === true) return filled;
    const after = Number(readSetting(archive, FILLED) ?? 0);
    const due = query(archive.sqlite, DUE_COLUMNS, `SELECT a.pk, a.pointer ${DUE} ORDER BY a.pk LIMIT 1`).get(after);
    if (due === undefined) {
      if (after < ALL) await write(archive, fillSearchWrite, { pk: ALL, text: null });
      return filled;
    }
    const text = await storedHead(archive, due.pointer, LIMITS.searchChars);
    if (await write(archive, fillSearchWrite, { pk: due.pk, text })) filled++;
  }
}

/** The write of one artifact's text; false when there is none (any more). */
function addText(archive: Archive, _batch: Batch, { pk, text }: Filled): boolean {
  const { sqlite } = archive;
  putSetting(archive, FILLED, pk);
  if (text === null) return false;
  const row = query(
    sqlite,
    { session_pk: "artifacts.session_pk", seq: "artifacts.seq!" },
    "FROM artifacts WHERE pk = ? AND deleted_at IS NULL",
  ).get(pk);
  if (row === undefined) return false;
  const id = eventRowId(row.session_pk, row.seq);
  const json = scalar(sqlite, "events.body", "FROM events WHERE id = ?").get(id);
  const body = json === undefined ? null : (JSON.parse(json) as EventBody);
  if (body?.type !== "tool_result" || body.saw !== "preview") return false;
  command(sqlite, "DELETE FROM search WHERE rowid = ?").run(id);
  const whole = `${eventText(body)}\n${text}`;
  command(sqlite, "INSERT INTO search (rowid, text) VALUES (?, ?)").run(id, whole.slice(0, LIMITS.searchChars));
  return true;
}

export const fillSearchWrite = defineWrite("fillSearch", addText);
