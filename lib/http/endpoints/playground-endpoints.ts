// The playground: programs and patterns that a person or an agent runs. Runs answer piece by piece, in JSON lines, as the program
// writes and the search finds. Whoever closes the connection stops what runs; whoever stops reading is not written to. What is
// wrong with the request, and with what it names, is a plain refusal: the stream begins when there is something to run.
import { z } from "zod";
import { listRuns } from "#lib/archive/playground/history.ts";
import { deleteProgram, listPrograms, readProgram, saveProgram } from "#lib/archive/playground/programs.ts";
import { runGrepPattern } from "#lib/archive/playground/run-grep.ts";
import { runJqProgram } from "#lib/archive/playground/run-jq.ts";
import { runProbe } from "#lib/archive/playground/run-probe.ts";
import { saveJqRun } from "#lib/archive/playground/save-run.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import {
  grepRun,
  historyAnswer,
  historyQuery,
  jqProbe,
  jqRun,
  probeAnswer,
  programsAnswer,
  savedProgram,
  savedRun,
  saveProgram as saveProgramRequest,
  saveRun,
  type GrepPiece,
  type JqInput,
  type JqPiece,
} from "#lib/wire/playground-schema.ts";
import { del, get, post, type Call } from "../endpoint.ts";
import { openedPointer } from "../fleet-admission.ts";
import { askerOf, streaming } from "../stream-pieces.ts";
import { programParams } from "../params.ts";

// JSON with pasted text in it.
const pasted = { bodyBytes: LIMITS.toolRequestBytes };

/** On a node of a fleet: what the request names is brought here, as far as whoever asks sees it. */
async function openedInputs({
  app,
  principal,
  body,
}: Call<unknown, unknown, { inputs: JqInput[] }>): Promise<JqInput[]> {
  const inputs: JqInput[] = [];
  for (const input of body.inputs)
    inputs.push("artifact" in input ? { artifact: await openedPointer(app, principal, input.artifact) } : input);
  return inputs;
}

/** A node's history is of all projects: who sees some of them alone is not in it. */
const keptBy = ({ principal, body }: Call<unknown, unknown, { isKept: boolean }>): { isKept: boolean } => ({
  isKept: body.isKept && principal.access === "all",
});

const runs = [
  post("/api/playground/jq", {
    ...pasted,
    scope: "read",
    bound: "own",
    body: jqRun,
    run: async (call) => {
      const run = { ...call.body, ...keptBy(call), inputs: await openedInputs(call) };
      return streaming<JqPiece>(call, (out) =>
        runJqProgram(call.archive, run, askerOf(call), {
          onStart: out.begin,
          onPiece: (text) => out.tell({ type: "output", text }),
        }),
      );
    },
  }),
  post("/api/playground/grep", {
    ...pasted,
    scope: "read",
    bound: "own",
    body: grepRun,
    run: async (call) => {
      const artifact = await openedPointer(call.app, call.principal, call.body.artifact);
      return streaming<GrepPiece>(call, (out) =>
        runGrepPattern(call.archive, { ...call.body, ...keptBy(call), artifact }, askerOf(call), {
          onStart: out.begin,
          // All lines of a search have 8 MB at most, so that none waits for the one before.
          onLines: (lines) => out.send({ type: "lines", lines }),
        }),
      );
    },
  }),
  // Completion is for who types in a page; an agent runs its programs.
  post("/api/playground/probe", {
    ...pasted,
    auth: "human",
    scope: "read",
    body: jqProbe,
    answer: probeAnswer,
    run: async (call) => runProbe(call.archive, { ...call.body, inputs: await openedInputs(call) }, askerOf(call)),
  }),
  post("/api/playground/save", {
    ...pasted,
    scope: "write",
    body: saveRun,
    answer: savedRun,
    status: 201,
    run: (call) => saveJqRun(call.archive, call.body, askerOf(call)),
  }),
];

const kept = [
  get("/api/playground/history", {
    query: historyQuery,
    answer: historyAnswer,
    run: ({ archive, query }) => listRuns(archive, query),
  }),
  get("/api/playground/programs", { answer: programsAnswer, run: ({ archive }) => listPrograms(archive) }),
  post("/api/playground/programs", {
    scope: "write",
    body: saveProgramRequest,
    answer: savedProgram,
    status: 201,
    run: ({ archive, body }) => saveProgram(archive, body),
  }),
  get("/api/playground/programs/:id", {
    params: programParams,
    answer: savedProgram,
    run: ({ archive, params }) => readProgram(archive, params.id),
  }),
  del("/api/playground/programs/:id", {
    scope: "write",
    params: programParams,
    body: z.strictObject({}),
    answer: z.object({ deleted: z.boolean() }),
    run: ({ archive, params }) => deleteProgram(archive, params.id),
  }),
];

export const playgroundEndpoints = [...runs, ...kept];
