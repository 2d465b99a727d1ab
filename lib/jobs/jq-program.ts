// One program, from its words to its answer. Runs in a thread, where a program that never ends can be ended.
import { JqExit, runJq, type JqEnd } from "./jq-host.ts";
import { bytesOf, type JqBytes } from "./jq-input.ts";
import { pipeWriter, type PipeWriter } from "./jq-pipe.ts";
import { valueReader } from "./jq-values.ts";
import type { JqFailureKind, JqLimits, JqOptions, JqPosition, JqSource } from "./job-types.ts";

export type JqTask = {
  readonly inputs: readonly JqSource[];
  readonly program: string;
  readonly options: JqOptions;
  readonly limits: JqLimits;
  readonly stderrLines?: number;
  /** Where the output goes. */
  readonly pipe: SharedArrayBuffer;
};

/** How it ended; what it wrote lies in the pipe. */
export type JqResult = { ok: true } | { ok: false; kind: JqFailureKind; message: string; position: JqPosition | null };

const MB = 1_000_000;

type Attempt = { readonly result: JqResult; readonly memoryBytes: number };

/** How jq ends what it says of a program that it cannot compile; its status is 3 then. */
const COMPILE_ERRORS = /\n*jq: \d+ compile errors?\s*$/;

/** The end, and how much memory it took. `wake` tells who reads the output that there is some. */
export async function answerJq(module: WebAssembly.Module, task: JqTask, wake: () => void): Promise<Attempt> {
  const pipe = pipeWriter(task.pipe, task.limits.outputBytes, wake);
  const first = await attempt(module, task, withoutFilename(task.program), pipe);
  // What jq says of a mistake names its position in the line: say it of the program as it was written.
  const isShifted =
    !first.result.ok && first.result.kind === "compile" && withoutFilename(task.program) !== task.program;
  if (!isShifted) return first;
  pipe.clear();
  return attempt(module, task, task.program, pipe);
}

/** There is no file name here; jq itself would say `<stdin>`. */
const withoutFilename = (program: string): string =>
  /\binput_filename\b/.test(program) ? `def input_filename: null; ${program}` : program;

async function attempt(module: WebAssembly.Module, task: JqTask, program: string, pipe: PipeWriter): Promise<Attempt> {
  const { memoryBytes } = task.limits;
  const input = bytesOf(task.inputs);
  try {
    // A document of one string takes twice its size and a bit; anything else takes more.
    if (!task.options.null_input && input.wholeBytes > memoryBytes / 4)
      return { result: tooLarge(input, memoryBytes), memoryBytes: 0 };
    const { stderrLines } = task;
    const output =
      stderrLines === undefined
        ? valueReader(task.options.raw_output ?? false, pipe.write, pipe.count)
        : (): void => undefined;
    const answer = stderrLines === undefined ? null : lineReader(pipe, stderrLines);
    const words = wordsOf(program, task.options);
    const last = lastWords();
    const messages = (piece: Uint8Array): void => {
      pipe.say(piece);
      last.add(piece);
      answer?.(piece);
    };
    const end = await runJq(module, { words, input, output, messages, memoryBytes });
    const result =
      end.status === 0
        ? { ok: true as const }
        : failureOf(end, { first: pipe.messages, last: last.text, isMore: last.isMore }, input, task);
    return { result, memoryBytes: end.memoryBytes };
  } finally {
    input.close();
  }
}

/** Passes lines on as output, and ends the program after so many. */
function lineReader(pipe: PipeWriter, most: number): (piece: Uint8Array) => void {
  let lines = 0;
  return (piece) => {
    pipe.write(piece);
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines++;
    if (lines >= most) throw new JqExit(0);
  };
}

/** So much of what is said last is kept here; of what is said first the pipe has as much. */
const LAST_BYTES = 4096;

/** The end of what a program says, which tells why it failed. */
function lastWords(): { add(piece: Uint8Array): void; readonly text: string; readonly isMore: boolean } {
  const pieces: Buffer[] = [];
  let [bytes, all] = [0, 0];
  return {
    add(piece) {
      all += piece.length;
      const kept = Buffer.from(piece.subarray(-LAST_BYTES));
      pieces.push(kept);
      bytes += kept.length;
      while (bytes - pieces[0]!.length >= LAST_BYTES) bytes -= pieces.shift()!.length;
    },
    get text() {
      return Buffer.concat(pieces).toString("utf8");
    },
    get isMore() {
      return all > LAST_BYTES;
    },
  };
}

function wordsOf(program: string, options: JqOptions): string[] {
  const words = ["jq", "-M"];
  // -r is done by jq-values.ts.
  if (options.slurp) words.push("-s");
  if (options.null_input) words.push("-n");
  if (options.compact) words.push("-c");
  if (options.sort_keys) words.push("-S");
  for (const [name, value] of Object.entries(options.args ?? {})) words.push("--arg", name, value);
  for (const [name, value] of Object.entries(options.json_args ?? {})) words.push("--argjson", name, value);
  return [...words, "--", program];
}

/** How what it said begins and ends; `isMore`: the beginning is not all of it. */
type Said = { readonly first: string; readonly last: string; readonly isMore: boolean };

function failureOf(end: JqEnd, { first, last, isMore }: Said, input: JqBytes, task: JqTask): JqResult {
  const failure = (kind: JqFailureKind, message: string, position: JqPosition | null = null): JqResult => ({
    ok: false,
    kind,
    message,
    position,
  });
  const { memoryBytes } = task.limits;
  // Its words alone could as well be of the data.
  const isMistake = end.status === 3 && COMPILE_ERRORS.test(last);
  if (end.status === null && last.includes("cannot allocate memory")) {
    // While a large document was being read; a small one is not to blame.
    const isReading = input.readBytes < input.sizeBytes && input.readBytes > memoryBytes / 64;
    if (isReading && (input.wholeBytes > 0 || task.options.slurp)) return tooLarge(input, memoryBytes);
    return failure(
      "memory",
      `The program needs more than ${inMb(memoryBytes)} of memory. Narrow the input first: .[0:100], a select, or artifact_read.`,
    );
  }
  if (end.status === null)
    return failure(
      "runtime",
      `jq failed (${end.trap}): values are nested too deeply or too large. Build smaller values.`,
    );
  const seeks = isMistake || /\bmodulemeta\b/.test(task.program);
  if (seeks && /module not found: |\b(?:import|include) (?:path )?must/.test(first))
    return failure("unsupported", "include and import are not available. Put the definitions into the program.");
  // Of several mistakes the first counts. A program that says much before it fails has its failure at the end.
  const at = isMistake || !isMore ? -1 : last.lastIndexOf("jq: error");
  const message = (at < 0 ? first : last.slice(at))
    .replace(/^jq: /, "")
    // There is no command line here to be helped with.
    .replace(/\nUse jq --help for help with command-line options,\n.*\n?$/, "")
    .replace(isMistake ? COMPILE_ERRORS : "", "")
    .trim();
  if (isMistake) return failure("compile", message, positionIn(message, task.program));
  return failure("runtime", message === "" ? `The program ended with status ${end.status}.` : message);
}

function tooLarge(input: JqBytes, memoryBytes: number): JqResult {
  return {
    ok: false,
    kind: "too_large",
    message:
      `A JSON document of ${inMb(input.sizeBytes)} exceeds jq's memory (${inMb(memoryBytes)} hold about ` +
      `${Math.floor(memoryBytes / MB / 10)} MB of JSON). Use artifact_read or artifact_grep, or download it.`,
    position: null,
  };
}

const inMb = (bytes: number): string =>
  bytes % (1024 * 1024) === 0 ? `${bytes / 1024 / 1024} MB` : `${Math.max(1, Math.round(bytes / MB))} MB`;

/**
 * The first position that a message of jq's compiler names, from 1. jq counts columns in bytes, and at the end of a program
 * names its last character. Null when it names none: a module that is missing, an option.
 */
function positionIn(message: string, program: string): JqPosition | null {
  const found = / at <top-level>, line (\d+)(?:, column (\d+))?/.exec(message);
  if (found === null) return null;
  const line = Number(found[1]);
  const text = program.split("\n")[line - 1] ?? "";
  const before = Buffer.from(text).subarray(0, Number(found[2] ?? 1) - 1);
  return { line, column: before.toString("utf8").length + 1 };
}
