// The doors of the playground that answer piece by piece: JSON lines, as the program writes and the search finds. Whoever
// closes the connection stops what runs; whoever stops reading is not written to. What is wrong with the request, and with
// what it names, is a plain refusal: the stream begins when there is something to run.
import { once } from "node:events";
import type { z } from "zod";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import type { RunAsker } from "#lib/archive/playground/inputs.ts";
import { runGrepPattern } from "#lib/archive/playground/run-grep.ts";
import { runJqProgram } from "#lib/archive/playground/run-jq.ts";
import { runProbe } from "#lib/archive/playground/run-probe.ts";
import { saveJqRun } from "#lib/archive/playground/save-run.ts";
import { fail } from "#lib/kernel/errors.ts";
import { grepRun, jqProbe, jqRun, saveRun, type GrepPiece, type JqPiece } from "#lib/wire/playground-schema.ts";
import { failureOf } from "./failure.ts";
import { checked } from "./params.ts";
import { sendJson } from "./server.ts";
import type { Door, DoorCall } from "./server.ts";

export function playgroundDoors(archive: Archive): readonly (readonly [string, Door])[] {
  return [
    [
      "POST /api/playground/jq",
      (call) =>
        streaming(call, async (asker, out: Lines<JqPiece>) => {
          const run = await bodyOf(jqRun, call);
          return runJqProgram(archive, run, asker, {
            onStart: out.begin,
            onPiece: (text) => out.tell({ type: "output", text }),
          });
        }),
    ],
    [
      "POST /api/playground/grep",
      (call) =>
        streaming(call, async (asker, out: Lines<GrepPiece>) => {
          const run = await bodyOf(grepRun, call);
          return runGrepPattern(archive, run, asker, {
            onStart: out.begin,
            // All lines of a search have 8 MB at most, so that none waits for the one before.
            onLines: (lines) => out.send({ type: "lines", lines }),
          });
        }),
    ],
    [
      "POST /api/playground/probe",
      (call) =>
        whileOpen(call, async (signal) => {
          const probe = await bodyOf(jqProbe, call);
          sendJson(call.response, 200, await runProbe(archive, probe, askerOf(call, signal)));
        }),
    ],
    [
      "POST /api/playground/save",
      (call) =>
        whileOpen(call, async (signal) => {
          const run = await bodyOf(saveRun, call);
          sendJson(call.response, 201, await saveJqRun(archive, run, askerOf(call, signal)));
        }),
    ],
  ];
}

type Lines<Piece> = {
  /** The head goes out: from now on what fails breaks the stream off. */
  begin(): void;
  /** True when there is room for the next. */
  send(piece: Piece): boolean;
  /** Resolves when there is; rejects when the connection closes, which drains no more. */
  tell(piece: Piece): Promise<void>;
};

/** Answers with the pieces that `run` tells, and its end. */
async function streaming<Piece extends { type: string }>(
  call: DoorCall,
  run: (asker: RunAsker, out: Lines<Piece>) => Promise<Piece>,
): Promise<void> {
  const { response } = call;
  await whileOpen(call, async (signal) => {
    const send = (piece: Piece): boolean => response.write(`${JSON.stringify(piece)}\n`);
    const end = await run(askerOf(call, signal), {
      begin() {
        response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8", "x-accel-buffering": "no" });
        response.flushHeaders();
      },
      send,
      async tell(piece) {
        if (!send(piece)) await once(response, "drain", { signal });
      },
    });
    send(end);
    response.end();
  });
}

/** Runs with a signal that says that the connection closed. Who went away is told nothing, and is no failure of ours. */
async function whileOpen({ request, response }: DoorCall, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  response.once("close", onClose);
  try {
    await run(gone.signal);
  } catch (error) {
    if (gone.signal.aborted || response.destroyed) return;
    if (!response.headersSent) throw error;
    // It is in the log under its id; the reader sees a stream without its end.
    failureOf(error, `${request.method} ${(request.url ?? "").split("?")[0]}`);
    response.destroy();
  } finally {
    response.off("close", onClose);
  }
}

/** An agent comes with a token; everything else is a person. */
function askerOf({ holder }: DoorCall, signal: AbortSignal): RunAsker {
  if (holder === null) throw new Error("The gate let somebody in without saying who.");
  return { who: holder.id, isPerson: holder.kind !== "token", session: holder.session, signal };
}

/** The body, whose length the gate has bounded. */
async function bodyOf<T>(schema: z.ZodType<T>, { request }: { request: AsyncIterable<unknown> }): Promise<T> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch (error) {
    return fail("invalid", "The body of this request is not JSON.", error);
  }
  return checked(schema, body, "body");
}
