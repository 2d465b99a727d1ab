// A request that the proxy recorded, by the call that it was answered with: its bytes, put together from the lines of its file.
import { hash } from "node:crypto";
import { columns, query, scalar, select } from "#db/statement.ts";
import { captured, EXCHANGE } from "#lib/formats/captured.ts";
import { capturedExchange, type CapturedExchange } from "#lib/kernel/captured-record.ts";
import type { SentRequest } from "#lib/kernel/request-records.ts";
import type { Archive } from "../base/archive-type.ts";
import { plainName } from "../import/artifact-writer.ts";
import { recordIn } from "../import/record-in.ts";
import { rawRanges } from "../import/raw-writer.ts";
import { rowRange } from "../base/row-keys.ts";

/** Null where none was recorded for the call. */
export function capturedRequestOf(archive: Archive, pk: number, call: number): SentRequest | null {
  const key = scalar(archive.sqlite, "model_calls.key", "FROM model_calls WHERE session_pk = ? AND call = ?").get(
    pk,
    call,
  );
  const source = sourceFor(archive, pk);
  if (key === undefined || source === null) return null;
  const exchanges = exchangesOf(archive, source);
  const found = exchanges.find((one) => one.key === key)?.read() ?? null;
  const bytes = found === null ? null : bytesOf(found, exchanges);
  if (found === null) return null;
  const count = found.request === null ? 0 : 1;
  const said = {
    id: key,
    seq: null,
    source: found.purpose,
    purpose: null,
    betas: (found.headers["anthropic-beta"] ?? "").split(",").filter((beta) => beta !== ""),
    messages: { count, proven: bytes === null ? 0 : count },
    notInFile: null,
  };
  if (bytes === null) return { ...said, body: null, isProven: null, why: found.notes.join(" ") || BROKEN };
  return { ...said, body: JSON.parse(bytes.toString("utf8")) as SentRequest["body"], isProven: true, why: null };
}

const BROKEN = "The recorded request cannot be put together: a line of its file is missing or damaged.";

type Source = { readonly pk: number; readonly source: number };

/** What was captured of a session, or the session itself where it is that. */
function sourceFor(archive: Archive, pk: number): Source | null {
  const own = select(archive.sqlite, "sessions", ["native_id", "format"], "WHERE pk = ?").get(pk)!;
  const name = own.format === captured.id ? own.native_id : `${plainName(own.native_id).split("/")[0]!}/${captured.id}`;
  const row = query(archive.sqlite, columns("sessions", "pk", "source_pk"), "FROM sessions WHERE native_id = ?").get(
    name,
  );
  return row === undefined || row.source_pk === null ? null : { pk: row.pk, source: row.source_pk };
}

type Recorded = { readonly key: string | null; readonly read: () => CapturedExchange | null };

/** In the order of the file. */
function exchangesOf(archive: Archive, { pk, source }: Source): Recorded[] {
  const read = rawRanges(archive, source);
  const rows = query(
    archive.sqlite,
    { ...columns("events", "byte_start", "byte_end"), key: "text?" },
    `SELECT byte_start, byte_end, json_extract(body, '$.name') AS key FROM events
     WHERE id BETWEEN ? AND ? AND type = 'meta' AND json_extract(body, '$.subtype') = '${EXCHANGE}' ORDER BY id`,
  ).all(...rowRange(pk));
  return rows.map(({ key, byte_start: start, byte_end: end }) => ({
    key,
    read: () => capturedExchange.safeParse(recordIn(read(start, end))).data ?? null,
  }));
}

/** The bytes of a request, of which earlier ones may hold both ends; null where they are not what was sent. */
function bytesOf({ exchange, request }: CapturedExchange, all: readonly Recorded[]): Buffer | null {
  if (request === null) return null;
  const middle = Buffer.from(request.text, request.base64 === true ? "base64" : "utf8");
  let before: Buffer = Buffer.alloc(0);
  if (request.base !== null) {
    const base = request.base >= exchange ? null : numbered(all, request.base);
    const bytes = base === null ? null : bytesOf(base, all);
    if (bytes === null) return null;
    before = bytes;
  }
  const whole = Buffer.concat([
    before.subarray(0, request.head),
    middle,
    before.subarray(Math.max(0, before.length - request.tail)),
  ]);
  return hash("sha256", whole, "hex") === request.sha256 ? whole : null;
}

/** Lines stand in the order of their numbers; after a damaged one, somewhat before that position. */
function numbered(all: readonly Recorded[], number: number): CapturedExchange | null {
  for (let at = Math.min(number, all.length) - 1; at >= 0; at--) {
    const one = all[at]!.read();
    if (one !== null && one.exchange <= number) return one.exchange === number ? one : null;
  }
  return null;
}
