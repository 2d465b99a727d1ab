// What the server and its import worker say to each other.
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

export type ToWorker = { type: "import"; job: Job } | { type: "cancel"; id: string } | { type: "count"; pk: number };

export type FromWorker =
  | { type: "progress"; progress: ImportProgress; quiet: boolean }
  | { type: "sessions"; sessions: string[] }
  | { type: "counted"; id: string }
  | { type: "done"; id: string; answer: ImportAnswer }
  | { type: "failed"; id: string; code: ErrorCode | null; message: string; stack: string };
