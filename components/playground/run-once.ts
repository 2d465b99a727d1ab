// A program that runs beside the one that is shown: a stage of it, or one that is offered in its place. Kept in no history.
import { LIMITS } from "#lib/kernel/limits.ts";
import { jqPiece, type JqRunEnd } from "#lib/wire/playground-schema.ts";
import { fail } from "#lib/kernel/errors.ts";
import { reach } from "../ui/api.ts";
import { piecesOf } from "../shared/ndjson.ts";
import type { RunRequest } from "./runner.ts";

/** The least that the endpoint takes: the first values of a stage. */
const OUTPUT_BYTES = 1000;

export type RunOnce = { readonly text: string; readonly end: JqRunEnd };

export async function runOnce(request: RunRequest, signal: AbortSignal): Promise<RunOnce> {
  const response = await reach("/api/playground/jq", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...request, deadlineMs: LIMITS.jqTypedMs, outputBytes: OUTPUT_BYTES, isKept: false }),
    signal,
  });
  let text = "";
  if (response.body)
    for await (const piece of piecesOf(response.body, jqPiece)) {
      if (piece.type === "end") return { text, end: piece };
      text += piece.text;
    }
  return fail("invalid", "The answer was interrupted. Run it again.");
}
