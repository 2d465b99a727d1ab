// What a run reads: artifacts, looked up and checked before anything begins, and text that was pasted.
import { fail } from "#lib/kernel/errors.ts";
import type { JqRequest } from "#lib/jobs/job-types.ts";
import type { JqInput } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import { checkedPath, holdsJson, holdsLines } from "../artifacts/query-artifact.ts";
import { requireLive, resolveArtifact, scopeOf } from "../artifacts/resolve.ts";

/** Who runs something. */
export type RunAsker = {
  /** The id of a credential. */
  readonly who: string;
  /** A person's runs go into the history; an agent's are noted with the artifact, as its other readings are. */
  readonly isPerson: boolean;
  /** The one session that it sees, or null. */
  readonly session: string | null;
  readonly signal?: AbortSignal;
};

type Sources = NonNullable<JqRequest["inputs"]>;

export type RunInputs = {
  readonly sources: Sources;
  readonly pointers: readonly string[];
  readonly pasted: number;
  /** How many values they hold, null when nobody counted. */
  readonly values: number | null;
};

/** Fails with `not_found` for what is not there or gone, and `unsupported` for what is no JSON. */
export async function inputsOf(
  archive: Archive,
  inputs: readonly JqInput[],
  asker: Pick<RunAsker, "session">,
): Promise<RunInputs> {
  const sources: Sources[number][] = [];
  const pointers: string[] = [];
  let values: number | null = 0;
  for (const input of inputs) {
    if ("text" in input) {
      sources.push({ text: input.text });
      values = null;
      continue;
    }
    const row = liveArtifact(archive, input.artifact, asker);
    if (!(await holdsJson(archive, row)))
      fail(
        "unsupported",
        `${row.name ?? row.pointer} is not JSON (content type ${row.content_type}). Search it with grep instead.`,
      );
    sources.push({ path: await checkedPath(archive, row.digest), isJsonLines: holdsLines(row) });
    pointers.push(row.pointer);
    const found = valuesIn(row);
    values = values === null || found === null ? null : values + found;
  }
  return { sources, pointers, pasted: inputs.length - pointers.length, values };
}

/** An artifact that can be read, as far as the asker sees. */
export function liveArtifact(archive: Archive, ref: string, { session }: Pick<RunAsker, "session">): ArtifactDbRow {
  const scope = scopeOf(archive, session ?? undefined);
  return requireLive(archive, resolveArtifact(archive, ref, scope), ref);
}

/** A line each, or the one document that a scan found when the bytes came in. */
function valuesIn(row: ArtifactDbRow): number | null {
  if (holdsLines(row)) return row.line_count;
  return row.content_type === "application/json" ? 1 : null;
}
