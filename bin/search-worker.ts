// Searches the archive in a thread of its own, on a connection that only reads: a search among a million events takes the
// processor for 0.1 s and more, and pages and agents go on meanwhile. One after the other; what is cancelled is left out.
import { parentPort, workerData } from "node:worker_threads";
import { openArchive } from "#lib/archive/archive.ts";
import { runNamedSearch } from "#lib/archive/search/search-tasks.ts";
import { refusedOf } from "./refused-error.ts";
import type { FromSearcher, ToSearcher } from "./search-messages.ts";
import { systemHost } from "./system-host.ts";

const port = parentPort!;
const opened = openArchive({ dir: (workerData as { dir: string }).dir, host: systemHost(), mode: "read" });
const waiting = new Map<number, AbortController>();
let turn: Promise<void> = Promise.resolve();

port.on("message", (message: ToSearcher) => {
  if (message.type === "cancel") return void waiting.get(message.id)?.abort();
  const stop = new AbortController();
  waiting.set(message.id, stop);
  turn = turn.then(() => search(message, stop.signal));
});

async function search({ id, name, request }: ToSearcher & { type: "search" }, signal: AbortSignal): Promise<void> {
  // The word that one is cancelled comes between two of them.
  await new Promise((resume) => setImmediate(resume));
  const say = (message: FromSearcher): void => port.postMessage(message);
  try {
    signal.throwIfAborted();
    say({ id, answer: await runNamedSearch(await opened, name, request, signal) });
  } catch (error) {
    say({ id, refused: refusedOf(error) });
  } finally {
    waiting.delete(id);
  }
}
