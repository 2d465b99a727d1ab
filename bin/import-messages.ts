// What the server and the worker that writes for it say to each other.
import type { HeldEntry } from "#lib/archive/base/held-entry.ts";
import type { KeptAnswer } from "#lib/archive/base/request-key.ts";
import type { WorkProgress } from "#lib/archive/base/work-options.ts";
import type { ErrorCode } from "#lib/kernel/errors.ts";
import type { ImportAnswer, ImportProgress } from "#lib/wire/sources-schema.ts";
import type { Refused } from "./refused-error.ts";

export type Job = {
  readonly id: string;
  readonly paths: readonly string[];
  /** Nothing more is expected of these files: a last line without its newline is read too. */
  readonly final: boolean;
  /** Folders of agents, of which only files with the names that formats want are looked into. */
  readonly byName?: readonly string[];
  /** Started by the watcher: its progress is not shown. */
  readonly quiet: boolean;
  /** Of bundles that a node of a fleet brings. */
  readonly isCopy?: boolean;
  /** How often it was tried before. */
  readonly attempt?: number;
};

/** A write by its name in lib/archive/writes.ts. */
export type WriteRequest = {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
  readonly kept: KeptAnswer | null;
};

export type WriteAnswered =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly refused: Refused };

export type ToWorker =
  | { type: "import"; job: Job }
  | { type: "cancel"; id: string }
  /** A long work by its name in lib/archive/long-jobs.ts: it waits for the imports before it. */
  | { type: "work"; id: string; name: string; input: object }
  /** What an older version read is read again, between the other jobs. */
  | { type: "read-again"; id: string }
  | { type: "count"; pk: number }
  | { type: "write"; write: WriteRequest }
  /** This server is a node of a fleet: the others are told of what is written to sessions of agents. */
  | { type: "ships" }
  | { type: "shipped"; id: number; refused: readonly (Refused | null)[] };

export type FromWorker =
  | { type: "progress"; progress: ImportProgress; quiet: boolean }
  | { type: "sessions"; sessions: string[] }
  | { type: "counted"; id: string }
  | { type: "done"; id: string; answer: ImportAnswer }
  | { type: "worked"; id: string; answer: unknown }
  | { type: "working"; id: string; progress: WorkProgress }
  /** A sweep that nobody asked for ended something. */
  | { type: "swept" }
  | { type: "wrote"; writes: readonly WriteAnswered[] }
  | { type: "ship"; id: number; entries: readonly HeldEntry[] }
  | { type: "failed"; id: string; code: ErrorCode | null; message: string; stack: string };
