// One program, from its words to its answer. Runs in a thread, where a program that never ends can be ended.
import { runJq, type JqEnd } from "./jq-host.ts";
import { bytesOfFile, bytesOfText, type JqBytes } from "./jq-input.ts";
import { outputSink } from "./jq-output.ts";
import type { JqFailureKind, JqLimits, JqOptions } from "./types.ts";

export type JqTask = {
  readonly input: { readonly path: string } | { readonly text: string };
  readonly program: string;
  readonly options: JqOptions;
  readonly isJsonLines: boolean;
  readonly limits: JqLimits;
};

export type JqTold =
  | { ok: true; output: string; outputBytes: number; truncated: boolean; messages: string }
  | { ok: false; kind: JqFailureKind; message: string; output: string };

const MESSAGE_BYTES = 4096;
const MB = 1_000_000;

/** The answer, and how much memory it took. */
export async function answerJq(
  module: WebAssembly.Module,
  task: JqTask,
): Promise<{ told: JqTold; memoryBytes: number }> {
  const first = await attempt(module, task, withoutFilename(task.program));
  // What jq says of a mistake names its place in the line: say it of the program as it was written.
  const isShifted = !first.told.ok && first.told.kind === "compile" && withoutFilename(task.program) !== task.program;
  return isShifted ? attempt(module, task, task.program) : first;
}

/** There is no file name here; jq itself would say `<stdin>`. */
const withoutFilename = (program: string): string =>
  /\binput_filename\b/.test(program) ? `def input_filename: null; ${program}` : program;

async function attempt(
  module: WebAssembly.Module,
  task: JqTask,
  program: string,
): Promise<{ told: JqTold; memoryBytes: number }> {
  const { memoryBytes } = task.limits;
  const input = "path" in task.input ? bytesOfFile(task.input.path) : bytesOfText(task.input.text);
  try {
    const isWhole = !task.isJsonLines && !task.options.null_input;
    // A document of one string takes twice its size and a bit; anything else takes more.
    if (isWhole && input.sizeBytes > memoryBytes / 4) return { told: tooLarge(input, memoryBytes, ""), memoryBytes: 0 };
    const output = outputSink(task.limits.outputBytes);
    const messages = outputSink(MESSAGE_BYTES);
    const end = await runJq(module, { words: wordsOf(program, task.options), input, output, messages, memoryBytes });
    if (end.status === 0)
      return {
        told: {
          ok: true,
          output: output.text(),
          outputBytes: output.sizeBytes,
          truncated: output.isCut,
          messages: messages.text(),
        },
        memoryBytes: end.memoryBytes,
      };
    const told = failureOf(end, messages.text(), output.text(), input, task);
    return { told, memoryBytes: end.memoryBytes };
  } finally {
    input.close();
  }
}

function wordsOf(program: string, options: JqOptions): string[] {
  const words = ["jq", "-M"];
  if (options.raw_output) words.push("-r");
  if (options.slurp) words.push("-s");
  if (options.null_input) words.push("-n");
  if (options.compact) words.push("-c");
  if (options.sort_keys) words.push("-S");
  for (const [name, value] of Object.entries(options.args ?? {})) words.push("--arg", name, value);
  for (const [name, value] of Object.entries(options.json_args ?? {})) words.push("--argjson", name, value);
  return [...words, "--", program];
}

function failureOf(end: JqEnd, said: string, output: string, input: JqBytes, task: JqTask): JqTold {
  const failure = (kind: JqFailureKind, message: string): JqTold => ({ ok: false, kind, message, output });
  const { memoryBytes } = task.limits;
  if (said.includes("cannot allocate memory")) {
    // While a large document was being read; a small one is not to blame.
    const isReading = input.readBytes < input.sizeBytes && input.readBytes > memoryBytes / 64;
    if (isReading && (!task.isJsonLines || task.options.slurp)) return tooLarge(input, memoryBytes, output);
    return failure(
      "memory",
      `The program needs more than ${inMb(memoryBytes)} of memory. Narrow the input first: .[0:100], a select, or artifact_read.`,
    );
  }
  if (end.status === null)
    return failure(
      "runtime",
      `jq broke off (${end.trap}): values nested too deeply, or a value larger than it can hold. Go less deep, or build smaller values.`,
    );
  if (/module not found: |\b(?:import|include) (?:path )?must/.test(said))
    return failure(
      "unsupported",
      "include and import find nothing here: a program is one text and reads no files. Put the definitions into the program.",
    );
  const message = said
    .replace(/^jq: /, "")
    .replace(/\n*(?:jq: )?\d+ compile errors?\s*$/, "")
    .trim();
  if (/jq: \d+ compile errors?\s*$/.test(said)) return failure("compile", message);
  return failure("runtime", message === "" ? `The program ended with status ${end.status}.` : message);
}

function tooLarge(input: JqBytes, memoryBytes: number, output: string): JqTold {
  return {
    ok: false,
    kind: "too_large",
    message:
      `One JSON document of ${inMb(input.sizeBytes)} does not fit into jq's ${inMb(memoryBytes)} of memory ` +
      `(about ${Math.floor(memoryBytes / MB / 10)} MB of JSON do). Read a part with artifact_read, search it with ` +
      `artifact_grep, or download it and use jq there.`,
    output,
  };
}

const inMb = (bytes: number): string =>
  bytes % (1024 * 1024) === 0 ? `${bytes / 1024 / 1024} MB` : `${Math.max(1, Math.round(bytes / MB))} MB`;
