// What is asked of jq and grep, and what they answer. A program or a pattern comes from an agent or a person and is
// hostile until shown otherwise, so whatever it does wrong is an answer, not an exception; exceptions are for callers.
import type { ContentFacts } from "#lib/kernel/artifacts/scan.ts";
import type { ShapeRequest, ShapeTold } from "./shape.ts";
import type { SummaryRequest } from "./summary.ts";
import type { SummaryAnswer } from "./summary-task.ts";

/** Bytes in a file, read where the work is done, or text that is in memory already. */
type JobInput = { readonly path: string; readonly text?: never } | { readonly text: string; readonly path?: never };

export type JqOptions = {
  readonly raw_output?: boolean;
  readonly slurp?: boolean;
  readonly null_input?: boolean;
  readonly compact?: boolean;
  readonly sort_keys?: boolean;
  /** `$name` in the program: a string, or a JSON text. */
  readonly args?: Readonly<Record<string, string>>;
  readonly json_args?: Readonly<Record<string, string>>;
};

export type JqLimits = {
  readonly deadlineMs: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  /** A shorter limit than the 64 KB of everybody, in characters. */
  readonly programChars?: number;
};

export type JqRequest = JobInput & {
  readonly program: string;
  readonly options: JqOptions;
  /** Many values, one a line: then only the longest value must fit into memory, not the file. */
  readonly isJsonLines?: boolean;
  readonly limits: JqLimits;
  readonly signal?: AbortSignal;
};

export type JqFailureKind = "compile" | "runtime" | "timeout" | "memory" | "too_large" | "unsupported";

export type JqAnswer =
  | {
      readonly ok: true;
      /** What jq wrote, cut at `outputBytes`, at a line end when one is near. */
      readonly output: string;
      /** The whole length, cut or not. */
      readonly outputBytes: number;
      readonly truncated: boolean;
      /** What `debug` and `stderr` wrote, and errors of values before the last, which stop nothing; at most 4 KB. */
      readonly messages: string;
      readonly ms: number;
    }
  | {
      readonly ok: false;
      readonly kind: JqFailureKind;
      /** jq's own words without its name in front, or ours. */
      readonly message: string;
      /** What was written before it failed: jq goes on with the next value after an error. */
      readonly output: string;
      readonly ms: number;
    };

export type GrepLimits = {
  readonly deadlineMs: number;
  /** At most so many lines are shown, context counted, … */
  readonly lines: number;
  /** … of so many bytes together, … */
  readonly bytes: number;
  /** … and of each line so many characters. */
  readonly lineChars: number;
};

export type GrepRequest = JobInput & {
  readonly pattern: string;
  /** As written on a command line: `-i`, `-in`, `-A 3`, `-A3`. */
  readonly options: readonly string[];
  readonly limits: GrepLimits;
  readonly signal?: AbortSignal;
};

export type GrepLine = {
  /** From 1; lines end at \n alone. */
  readonly line: number;
  /** Without its line end, \r\n included. */
  readonly text: string;
  readonly isContext: boolean;
  /** True when the line was longer than `text`: then `start` says at which character `text` begins. */
  readonly cut: boolean;
  readonly start: number;
};

export type GrepAnswer =
  | {
      readonly ok: true;
      readonly lines: readonly GrepLine[];
      /** Lines that match (with -o: matches), also those not shown. */
      readonly matches: number;
      /** False when the deadline came while the rest was being counted. */
      readonly isCounted: boolean;
      /** Matches counted and not shown. */
      readonly omitted: number;
      /** With -c. */
      readonly count?: number;
      readonly ms: number;
    }
  | {
      readonly ok: false;
      readonly kind: "pattern" | "option" | "timeout";
      readonly message: string;
      readonly ms: number;
    };

/** What is found out of bytes while they come in. */
export type StreamScan = {
  /** Takes a piece; resolves when there is room for the next. */
  add(piece: Uint8Array): Promise<void>;
  end(): Promise<ContentFacts>;
  /** Ends it without an answer. */
  drop(): void;
};

export type Jobs = {
  scan(): StreamScan;
  jq(request: JqRequest): Promise<JqAnswer>;
  grep(request: GrepRequest): Promise<GrepAnswer>;
  summarize(request: SummaryRequest): Promise<SummaryAnswer>;
  shape(request: ShapeRequest): Promise<ShapeTold>;
  /** Ends every thread and process; what was running is rejected. */
  close(): Promise<void>;
};
