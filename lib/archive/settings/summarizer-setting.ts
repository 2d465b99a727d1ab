// The model that summarises: off until a person sets one up, and then asked at that address alone. The only code where a
// client of a model is made.
import { fail } from "#lib/kernel/errors.ts";
import { normalBaseUrl, requestUrl, type ModelSummarizer } from "#lib/kernel/model-endpoint.ts";
import {
  summarizerRequest,
  type SummarizerAnswer,
  type SummarizerRequest,
  type TriedSummarizer,
} from "#lib/wire/summarizer-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { readKey, removeKey, writeKey } from "./kept-key.ts";
import { summarizerRow, saveSummarizerWrite } from "./summarizer-rows.ts";
import { write } from "../base/write.ts";

const KEY = "summarizer.key";

/** The model that was set up, as a summarizer; null while it is off. Nothing is sent before it is asked. */
export function summarizerOf(archive: Archive): ModelSummarizer | null {
  const { kind, baseUrl, model } = summarizerRow(archive);
  const { summarizers } = archive.host;
  if (kind === "off") return null;
  if (summarizers === undefined) return fail("unsupported", "Only the server asks models. Compact in the browser.");
  return summarizers.of({ kind, baseUrl, model, apiKey: readKey(archive, KEY, baseUrl) });
}

export async function readSummarizer(archive: Archive): Promise<SummarizerAnswer> {
  const { kind, baseUrl, model } = summarizerRow(archive);
  const key = baseUrl === "" ? null : readKey(archive, KEY, baseUrl);
  return {
    kind,
    baseUrl,
    model,
    key: { isSet: key !== null, last4: key !== null && key.length >= SPARES_FOUR ? key.slice(-4) : null },
    sentTo: kind === "off" ? null : requestUrl(kind, baseUrl),
  };
}

/** Of a shorter key four characters would tell too much. */
const SPARES_FOUR = 16;

/** Another base URL loses the key, before anything else changes: it is given anew or not at all. */
export async function saveSummarizer(archive: Archive, request: SummarizerRequest): Promise<SummarizerAnswer> {
  const { kind, baseUrl: typed, model, apiKey } = summarizerRequest.parse(request);
  if (archive.mode === "read") fail("conflict", "This archive is open read-only. Its settings cannot change.");
  const baseUrl = typed === "" ? "" : normalBaseUrl(typed);
  return inTurn(archive, async () => {
    if (apiKey === null || baseUrl !== summarizerRow(archive).baseUrl) await removeKey(archive, KEY);
    await write(archive, saveSummarizerWrite, { kind, baseUrl, model });
    if (apiKey != null) await writeKey(archive, KEY, baseUrl, apiKey);
    return readSummarizer(archive);
  });
}

/** Asks the model that is set up for one word. Fails with what was wrong. */
export async function trySummarizer(archive: Archive, signal?: AbortSignal): Promise<TriedSummarizer> {
  const summarizer = summarizerOf(archive);
  const { sentTo } = await readSummarizer(archive);
  if (summarizer === null || sentTo === null)
    return fail("conflict", "No model is set up to summarise. Choose one and save it first.");
  return { ...(await summarizer.tryOut(signal)), sentTo };
}

const queue = perArchive((): { last: Promise<unknown> } => ({ last: Promise.resolve() }));

/** Two that save at once do so one after the other: the file and the row are then of the same one. */
function inTurn<T>(archive: Archive, run: () => Promise<T>): Promise<T> {
  const before = queue(archive);
  const mine = before.last.then(run, run);
  before.last = mine;
  mine.catch(() => undefined);
  return mine;
}
