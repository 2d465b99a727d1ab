// A result that is worth keeping: the program runs again, and all that it writes becomes an artifact of the session
// "Playground", which is made when somebody first saves one. A program that fails leaves no artifact.
import { fail, type ErrorCode } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { JqAnswer, JqRequest } from "#lib/jobs/job-types.ts";
import type { SavedRun, SaveRun } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { createSession } from "../artifacts/create-session.ts";
import { storeArtifact, type StoreInput } from "../artifacts/store-artifact.ts";
import { inputsOf, type RunAsker, type RunInputs } from "./inputs.ts";
import { jqOptionsOf } from "./run-jq.ts";

const SESSION = { id: "playground", title: "Playground" };
const DESCRIPTION_CHARS = 500;
const PROGRAM_CHARS = 300;

const CODES: Readonly<Record<Extract<JqAnswer, { ok: false }>["kind"], ErrorCode>> = {
  compile: "invalid",
  runtime: "invalid",
  timeout: "timeout",
  busy: "timeout",
  memory: "too_large",
  too_large: "too_large",
  unsupported: "unsupported",
};

/** Many values, indented: no type names such a thing, so it is made again with one a line. */
class ManyValues extends Error {}

export async function saveJqRun(archive: Archive, run: SaveRun, asker: RunAsker): Promise<SavedRun> {
  const inputs = await inputsOf(archive, run.inputs, asker);
  const session = (await createSession(archive, SESSION)).id;
  try {
    return await store(archive, session, run, inputs, asker);
  } catch (error) {
    if (!(error instanceof ManyValues)) throw error;
    const options = { ...run.options, compact: true };
    return store(archive, session, { ...run, options }, inputs, asker);
  }
}

async function store(
  archive: Archive,
  session: string,
  run: SaveRun,
  inputs: RunInputs,
  asker: RunAsker,
): Promise<SavedRun> {
  const { raw, compact } = run.options;
  let contentType: string | undefined;
  const request: JqRequest = {
    inputs: inputs.sources,
    program: run.program,
    options: jqOptionsOf(run.options),
    limits: {
      deadlineMs: LIMITS.jqLongMs,
      memoryBytes: LIMITS.jqPersonMemoryBytes,
      outputBytes: LIMITS.jqSavedBytes,
    },
    ...(asker.signal !== undefined && { signal: asker.signal }),
  };
  const content = outputOf(archive, request, ({ values }) => {
    if (!raw && !compact && values > 1) throw new ManyValues();
    contentType = raw ? rawType(run.program) : values === 1 ? "application/json" : "application/x-ndjson";
  });
  const stored = await storeArtifact(
    archive,
    {
      session,
      name: run.name,
      toolName: "jq",
      description: describe(run, inputs.pointers, inputs.pasted),
      origin: "manual",
      // Known when all of it came, which is when it is asked for.
      get contentType() {
        return contentType;
      },
    } as StoreInput,
    content,
  );
  return { pointer: stored.pointer, id: stored.id, sizeBytes: stored.sizeBytes, sessionId: stored.sessionId };
}

/** Rows that the program made are a table; other strings are text, whatever they look like. */
function rawType(program: string): string {
  const rows = /@(csv|tsv)\s*$/.exec(program)?.[1];
  return rows === "csv" ? "text/csv" : rows === "tsv" ? "text/tab-separated-values" : "text/plain";
}

function describe(run: SaveRun, pointers: readonly string[], pasted: number): string {
  const { raw, slurp, nullInput, compact, sortKeys, args, jsonArgs } = run.options;
  const flags = Object.entries({ "-r": raw, "-s": slurp, "-n": nullInput, "-c": compact, "-S": sortKeys })
    .filter(([, isOn]) => isOn)
    .map(([flag]) => flag);
  for (const name of Object.keys(args)) flags.push(`--arg ${name}`);
  for (const name of Object.keys(jsonArgs)) flags.push(`--argjson ${name}`);
  const from = [...pointers, ...(pasted > 0 ? [`${pasted} pasted`] : [])].join(", ") || "no input";
  const program = run.program.length > PROGRAM_CHARS ? `${run.program.slice(0, PROGRAM_CHARS)}…` : run.program;
  return `jq ${[...flags, program].join(" ")}\nfrom ${from}`.slice(0, DESCRIPTION_CHARS).toWellFormed();
}

/** All that a program writes, as fast as it is taken. Fails when the program does, or writes too much. */
async function* outputOf(
  archive: Archive,
  request: JqRequest,
  onEnd: (answer: JqAnswer) => void,
): AsyncGenerator<Uint8Array> {
  const waiting: { readonly text: string; taken(): void }[] = [];
  const stop = new AbortController();
  const program = { isEnded: false };
  let tell = (): void => {};
  const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal]);
  const onPiece = (text: string): Promise<void> =>
    new Promise((taken) => {
      waiting.push({ text, taken });
      tell();
    });
  const running = archive.jobs.jq({ ...request, signal, onPiece }).finally(() => {
    program.isEnded = true;
    tell();
  });
  // Told below, unless nobody takes the rest.
  running.catch(() => {});
  try {
    while (!program.isEnded || waiting.length > 0) {
      const one = waiting.shift();
      if (one === undefined) await new Promise<void>((resolve) => (tell = resolve));
      else {
        yield Buffer.from(one.text);
        one.taken();
      }
    }
    const answer = await running;
    if (!answer.ok) fail(CODES[answer.kind], `jq: ${answer.message} Nothing was saved.`);
    if (answer.truncated)
      fail(
        "too_large",
        `The result has ${answer.outputBytes} bytes; at most ${LIMITS.jqSavedBytes} are saved. Nothing was saved.`,
      );
    onEnd(answer);
  } finally {
    stop.abort();
  }
}
