// Ingest: an agent tells a session of ours what happened, in the records of our own format. All of a request or nothing;
// a record that came before is known by its uuid and gets the same answer again, so that a request whose answer was lost
// can be sent once more.
import { scalar } from "#db/statement.ts";
import { randomUUID } from "node:crypto";
import { record, type PlimsollRecord } from "#lib/formats/plimsoll/plimsoll-records.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { IngestAnswer } from "#lib/wire/memory-schema.ts";
import { capResult } from "#lib/kernel/artifacts/truncate.ts";
import { INGEST_ORDER, processInOrder, type IngestProcessor } from "#lib/kernel/memory/ingest-processors.ts";
import type { Archive } from "../base/archive-type.ts";
import { heldSessionId } from "../artifacts/held-session.ts";
import { requireRoom } from "../artifacts/quota.ts";
import { findSession } from "../base/find-session.ts";
import { write } from "../base/write.ts";
import type { IngestedRecord } from "./add-events.ts";
import { addEventsWrite } from "./add-events.ts";
import { heldBudget, requestSettings } from "./held-budget.ts";

export type IngestOptions = {
  /** Epoch of the request that the calls answered, as the request said it. */
  readonly epoch?: number | undefined;
};

/**
 * Appends events and model calls to a session that Plimsoll holds. `seqs` are those of the records, null for a call. A
 * prompt over the session's budget asks for a compaction before its next request.
 */
export async function ingest(
  archive: Archive,
  name: string,
  given: readonly unknown[],
  { epoch }: IngestOptions = {},
): Promise<IngestAnswer> {
  const sessionId = heldSessionId(archive, name);
  if (given.length > LIMITS.ingestRecords)
    fail("too_large", `${given.length} records in one request: send at most ${LIMITS.ingestRecords}.`);
  const pk = findSession(archive, sessionId);
  const state: IngestState = { pk, records: [] };
  await processInOrder(given.map(recordOf), processorsOf(archive, pk), state);
  const { records } = state;
  requireRoom(archive, sessionId, keptBytes(records));
  const capacity = heldBudget(archive, pk)?.capacity;
  const budget =
    capacity === undefined ? null : { inputBudget: capacity.inputBudget, compactionRatio: capacity.compactionRatio };
  return write(archive, addEventsWrite, { sessionId, records, epoch: epoch ?? null, budget });
}

type IngestState = { readonly pk: number; readonly records: IngestedRecord[] };
type Processor = IngestProcessor<IngestedRecord, IngestState>;

/** Memory comes last: it holds what the others made of a record. */
const memory: Processor = {
  order: INGEST_ORDER,
  process(one, { records }) {
    records.push(one);
    return one;
  },
};

function processorsOf(archive: Archive, pk: number): Processor[] {
  if (requestSettings(archive, pk).capResults !== true) return [memory];
  const window = scalar(archive.sqlite, "sessions.window", "FROM sessions WHERE pk = ?").get(pk) ?? null;
  return [{ order: CAP_ORDER, process: (one) => capped(one, window) }, memory];
}

/** Behind whatever else changes a result, before memory. */
const CAP_ORDER = INGEST_ORDER - 100;

/** A result with the two ends that may enter a context; the whole is kept as an artifact. */
function capped(one: IngestedRecord, window: number | null): IngestedRecord {
  if (one.record !== "event" || one.body.type !== "tool_result") return one;
  const { body } = one;
  const text = capResult(body.text, window, { callId: body.toolCallId, rest: "The whole output is an artifact." });
  return text === body.text ? one : { ...one, full: one.full ?? body.text, body: { ...body, text, saw: "preview" } };
}

function recordOf(given: unknown, at: number): IngestedRecord {
  const read = record.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = [`records[${at}]`, ...(issue?.path ?? []).map(String)].join(".");
    fail("invalid", `${where}: ${issue?.message ?? "is not a record"}. Nothing was written.`);
  }
  const { data } = read;
  if (data.record === "call") return data;
  if (data.record === "event") return { ...data, uuid: data.uuid ?? `held:${randomUUID()}` };
  return fail(
    "invalid",
    `records[${at}]: only events and calls are accepted, not "${data.record}". Nothing was written.`,
  );
}

/** Bytes that will be kept as artifacts. */
function keptBytes(records: readonly PlimsollRecord[]): number {
  let sum = 0;
  for (const one of records) {
    if (one.record !== "event") continue;
    for (const { base64 } of one.attachments ?? []) sum += Math.floor(base64.length * 0.75);
    const text = one.full ?? (one.body.type === "tool_result" ? one.body.text : "");
    const bytes = Buffer.byteLength(text);
    if (one.full !== undefined || bytes > LIMITS.artifactBytes) sum += bytes;
  }
  return sum;
}
