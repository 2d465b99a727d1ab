// A result as a file. All of a long one is asked for anew: the page holds its first megabyte alone.
import { LIMITS } from "#lib/kernel/limits.ts";
import { jqPiece, type JqRunEnd } from "#lib/wire/playground-schema.ts";
import { reach } from "../ui/api.ts";
import { saveFile } from "../ui/save-file.ts";
import { piecesOf } from "../shared/ndjson.ts";
import { LONGER_MS, type RunRequest } from "./runner.ts";

export const fileNameOf = ({ options }: RunRequest): string => (options.raw ? "result.txt" : "result.json");

/** Everything that a program writes; tells how far it is. Resolves with how the run ended. */
export async function downloadAll(
  request: RunRequest,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<JqRunEnd | null> {
  const response = await reach("/api/playground/jq", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...request, deadlineMs: LONGER_MS, outputBytes: LIMITS.jqSavedBytes }),
    signal,
  });
  // A blob may stand on the disk; a string of 256 MB may not stand anywhere.
  const parts: Blob[] = [];
  let bytes = 0;
  if (response.body === null) return null;
  for await (const piece of piecesOf(response.body, jqPiece)) {
    if (piece.type === "end") {
      if (piece.outputBytes > 0) saveFile(new Blob(parts), fileNameOf(request));
      return piece;
    }
    const part = new Blob([piece.text]);
    parts.push(part);
    bytes += part.size;
    onBytes(bytes);
  }
  return null;
}
