// What the server and the worker that writes for it say to each other.
import type { ErrorCode } from "#lib/kernel/errors.ts";
import type { ImportAnswer, ImportProgress } from "#lib/wire/sources.ts";

export type Job = {
  readonly id: string;
  readonly paths: readonly string[];
  /** Nothing more is expected of these files: a last line without its newline is read too. */
  readonly final: boolean;
  /** Started by the watcher: its progress is not shown. */
  readonly quiet: boolean;
};

export type ToWorker =
  | { type: "import"; job: Job }
  | { type: "cancel"; id: string }
  /** A long work by its name in lib/archive/works.ts: it waits for the imports before it. */
  | { type: "work"; id: string; name: string; wish: object }
  | { type: "count"; pk: number }
  /** A write by its name in lib/archive/writes.ts. */
  | { type: "write"; id: number; name: string; wish: unknown };

export type FromWorker =
  | { type: "progress"; progress: ImportProgress; quiet: boolean }
  | { type: "sessions"; sessions: string[] }
  | { type: "counted"; id: string }
  | { type: "done"; id: string; answer: ImportAnswer }
  | { type: "worked"; id: string; answer: unknown }
  | { type: "working"; id: string; text: string }
  /** A sweep that nobody asked for ended something. */
  | { type: "swept" }
  | { type: "wrote"; id: number; answer: unknown }
  | { type: "refused"; id: number; code: string | null; isApp: boolean; message: string; stack: string }
  | { type: "failed"; id: string; code: ErrorCode | null; message: string; stack: string };
