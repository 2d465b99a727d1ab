// What is asked of jq and grep, and what they answer. A program or a pattern comes from an agent or a person and is
// hostile until shown otherwise, so whatever it does wrong is an answer, not an exception; exceptions are for callers.
import type { ContentFacts } from "#lib/kernel/artifacts/scan.ts";
import type { ShapeRequest, ShapeResult } from "./shape-job.ts";
import type { JsonJob } from "./json-index-types.ts";
import type { Evidence } from "#lib/kernel/memory/extractive/evidence.ts";
import type { EvidenceRequest, SummaryRequest } from "./summary-job.ts";
import type { SummaryAnswer } from "./summary-task.ts";

export type { JsonAnswers, JsonAsk } from "./json-index-types.ts";

/** Bytes in a file, read where the work is done, or text that is in memory already. */
type JobInput = { readonly path: string; readonly text?: never } | { readonly text: string; readonly path?: never };

/** One of several inputs of a program. */
export type JqSource = JobInput & {
  /** Many values, one a line: then only the longest value must fit into memory, not the file. */
  readonly isJsonLines?: boolean;
};

/** One input, or several that are read one after the other. */
type JqInputs =
  | (JqSource & { readonly inputs?: never })
  | {
      readonly inputs: readonly JqSource[];
      readonly path?: never;
      readonly text?: never;
      readonly isJsonLines?: never;
    };

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

export type JqRequest = JqInputs & {
  readonly program: string;
  readonly options: JqOptions;
  readonly limits: JqLimits;
  readonly signal?: AbortSignal;
  /** What the program writes to stderr is its output in place of its values; after so many lines it is ended. */
  readonly stderrLines?: number;
  /**
   * Gets the output while the program runs, in pieces that end at a line end where one is near; the answer's `output` is
   * empty then. While what it returns is pending the program waits as soon as 256 KB are on their way.
   */
  readonly onPiece?: (text: string) => void | Promise<void>;
};

export type JqFailureKind = "compile" | "runtime" | "timeout" | "memory" | "too_large" | "unsupported" | "busy";

/** What a program had written when it ended, however it ended. */
export type JqWritten = {
  /** The whole length in bytes, shown or not. */
  readonly outputBytes: number;
  /** More was written than `output` or the pieces show. */
  readonly truncated: boolean;
  /** Whole values, shown or not. */
  readonly values: number;
  /** What `debug` and `stderr` wrote, and errors of values before the last, which stop nothing; at most 4 KB. */
  readonly messages: string;
};

/** In the program as it was written, from 1; columns as editors count them (UTF-16). */
export type JqPosition = { readonly line: number; readonly column: number };

export type JqAnswer = JqWritten & {
  /** What jq wrote, cut at `outputBytes`, at a line end when one is near. jq goes on with the next value after an error. */
  readonly output: string;
  readonly ms: number;
} & (
    | { readonly ok: true }
    | {
        readonly ok: false;
        readonly kind: JqFailureKind;
        /** jq's own words without its name in front, or ours. */
        readonly message: string;
        /** Of a compile error, when jq named it. */
        readonly position: JqPosition | null;
      }
  );

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
  /** Gets the lines while they are found, some at a time; the answer has all of them too. */
  readonly onLines?: (lines: readonly GrepLine[]) => void;
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
      readonly kind: "pattern" | "option" | "timeout" | "busy";
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

/** Which of many files hold a match. */
export type GrepFilesRequest = Pick<GrepRequest, "pattern" | "options" | "signal"> & {
  readonly paths: readonly string[];
  readonly deadlineMs: number;
};

export type GrepFilesAnswer =
  | {
      readonly ok: true;
      /** Those that may hold a match: all of them where no engine of this machine tells faster than a search. */
      readonly files: ReadonlySet<string>;
      /** False when the deadline came before all were looked at. */
      readonly isAll: boolean;
    }
  | Extract<GrepAnswer, { ok: false }>;

export type Jobs = {
  scan(): StreamScan;
  jq(request: JqRequest): Promise<JqAnswer>;
  grep(request: GrepRequest): Promise<GrepAnswer>;
  grepFiles(request: GrepFilesRequest): Promise<GrepFilesAnswer>;
  /** Asks the byte index of a JSON document, which is made at the first question. */
  json: JsonJob;
  summarize(request: SummaryRequest): Promise<SummaryAnswer>;
  /** What each of several summaries of one cut keeps. */
  judge(request: EvidenceRequest): Promise<readonly Evidence[]>;
  shape(request: ShapeRequest): Promise<ShapeResult>;
  /** Ends every thread and process; what was running is rejected. */
  close(): Promise<void>;
};
