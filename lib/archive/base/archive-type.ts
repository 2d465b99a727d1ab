// The opened archive, as every verb receives it.
import type { WorkOptions } from "./work-options.ts";
import type { Connection, Sqlite } from "#db/connection.ts";
import type { BlobStore } from "#lib/blobs/blob-store.ts";
import type { Jobs } from "#lib/jobs/job-types.ts";
import type { Host } from "#lib/kernel/host.ts";
import type { Ship } from "./held-entry.ts";
import type { Journal } from "./blob-journal.ts";
import type { KeptAnswer } from "./request-key.ts";
import type { WriteLock } from "./write-lock.ts";

export type Archive = Connection & {
  readonly dir: string;
  readonly blobs: BlobStore;
  readonly host: Host;
  /** `write`: this process holds the writer lock, or works for the one that does. */
  readonly mode: "read" | "write";
  readonly lock: Sqlite | null;
  readonly turn: WriteLock;
  /** Small blobs and registry lines until their files are synced. */
  readonly journal: Journal;
  /** Where write() goes: to the worker that writes for this thread; null until the first, for itself. */
  writer: Writer | null;
  /** On a node of a fleet: makes what is written to sessions that Plimsoll holds durable for all nodes, before it is committed here. */
  ship: Ship | null;
  /** Where searches run: in the server's thread for them; null where they run here. */
  searcher: Searcher | null;
  /** jq and grep, off this thread; started when first asked. */
  readonly jobs: Jobs;
  /** What is to be done before the database closes. */
  readonly atClose: (() => Promise<void>)[];
};

export type Writer = {
  /** Runs a write of base/write.ts; another thread knows it by its name. `kept` is written with it. */
  run(what: { readonly name: string }, input: unknown, kept: KeptAnswer | null): Promise<unknown>;
  /** Where the long jobs of lib/archive/long-jobs.ts run, when not here. */
  work?(name: string, request: unknown, options: WorkOptions): Promise<unknown>;
};

export type Searcher = {
  /** Runs a search of lib/archive/search/search-tasks.ts by its name; one that nobody waits for any more is left out. */
  run(name: string, request: object, signal: AbortSignal | undefined): Promise<unknown>;
};
