// Counts tokens and computes verdicts in a thread of its own, on a connection that only reads: a session of 290 MB takes
// half a minute, and nobody who writes waits for it. What it finds goes to the thread that writes.
import { parentPort, workerData } from "node:worker_threads";
import { openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { recountState } from "#lib/archive/import/state-counts.ts";
import { countTexts } from "#lib/archive/load/count-tokens.ts";
import { computeVerdict } from "#lib/archive/load/compute-verdict.ts";
import { freshListSummaryOf, listSummaryOf } from "#lib/archive/sessions/list-summary.ts";
import type { FromCounter, ToCounter } from "./counter-messages.ts";
import { systemHost } from "./system-host.ts";
import { fillIndex } from "#lib/archive/search/fill-index.ts";
import { sessionVersion } from "#lib/archive/base/session-rows.ts";

const port = parentPort!;
const send = (message: FromCounter): void => port.postMessage(message);
const opened = openArchive({ dir: (workerData as { dir: string }).dir, host: systemHost(), mode: "read" });
let stop = new AbortController();
/** Released when what was counted is written: a verdict takes it into account. */
let written: { run: number; pk: number; resume: () => void } | null = null;
let turn: Promise<void> = Promise.resolve();

port.on("message", (message: ToCounter) => {
  if (message.type === "written") {
    if (written?.run === message.run && written.pk === message.pk) written.resume();
    return;
  }
  stop.abort();
  if (message.type === "stop") return;
  stop = new AbortController();
  const { signal } = stop;
  turn = turn.then(() => run(message.run, message.pks, signal));
});

async function run(number: number, pks: readonly number[], signal: AbortSignal): Promise<void> {
  const archive = await opened;
  for (const pk of pks) {
    if (signal.aborted) break;
    await one(archive, number, pk, signal);
    // The word that it should stop comes between two sessions too.
    await new Promise((resume) => setImmediate(resume));
  }
  if (!signal.aborted) await index(archive, signal);
  send({ type: "done", run: number });
}

/** What was counted and judged is indexed for the search, in a file that this thread alone writes. */
async function index(archive: Archive, signal: AbortSignal): Promise<void> {
  try {
    await fillIndex(archive, { signal });
  } catch (error) {
    // The archive may close, or its disk be full: what is missing is indexed in the next pause.
    if (!signal.aborted) console.error("The search index was not brought up to date:", error);
  }
}

async function one(archive: Archive, number: number, pk: number, signal: AbortSignal): Promise<void> {
  const counted = await countTexts(
    archive,
    pk,
    (tokenizer, counts) => send({ type: "counts", tokenizer, counts }),
    signal,
  );
  if (signal.aborted) return;
  const confirmed = new Promise<void>((resume) => {
    written = { run: number, pk, resume };
    signal.addEventListener("abort", () => resume(), { once: true });
  });
  send({ type: "counted", run: number, pk, counted, recount: recountState(archive, pk) });
  await confirmed;
  // It changed before the counts were written: the next pass takes them again, and its verdict after them.
  if (signal.aborted || recountState(archive, pk) !== null) return;
  const version = sessionVersion(archive, pk);
  if (version === undefined) return;
  try {
    const verdict = await computeVerdict(archive, pk);
    const summary = verdict === null ? listSummaryOf(archive, pk) : freshListSummaryOf(archive, pk);
    send({ type: "verdict", run: number, pk, summary: { version, ...summary }, verdict });
  } catch (error) {
    // Of a session that was removed meanwhile nobody waits for a verdict.
    if (sessionVersion(archive, pk) !== undefined) throw error;
  }
}
