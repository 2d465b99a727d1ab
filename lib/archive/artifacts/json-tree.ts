// JSON of any size for the page: rows of its tree, lines of its laid-out text, locations and hits, from a byte index.
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { JsonAnswers, JsonAsk } from "#lib/jobs/job-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { checkedPath, holdsLines } from "./query-artifact.ts";
import { requireLive, resolveArtifact } from "./resolve.ts";

export async function askJson<Ask extends JsonAsk>(
  archive: Archive,
  ref: string,
  ask: Ask,
  signal?: AbortSignal,
): Promise<JsonAnswers[Ask["what"]]> {
  const row = requireLive(archive, resolveArtifact(archive, ref), ref);
  const name = row.name ?? row.pointer;
  if (!/json/i.test(row.content_type) || row.line_count === null)
    fail("unsupported", `${name} is ${row.content_type}, not JSON. Open it as lines, or download it.`);
  if (row.size > LIMITS.jsonTreeBytes)
    fail(
      "too_large",
      `${name} has ${row.size} bytes; as a tree and as text JSON is shown up to ${LIMITS.jsonTreeBytes}. Open it as lines, or download it.`,
    );
  const path = await checkedPath(archive, row.digest);
  const isLines = holdsLines(row);
  return archive.jobs.json({ digest: row.digest, path, isLines, ask, ...(signal !== undefined && { signal }) });
}
