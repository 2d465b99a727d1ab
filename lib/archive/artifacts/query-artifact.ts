// grep and jq over a stored output. The blob is checked against its digest before a program is given its file; what is
// shown of the answer is for the caller to say.
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { GrepAnswer, GrepLimits, JqAnswer, JqLimits } from "#lib/jobs/job-types.ts";
import type { Archive } from "../base/archive-type.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";

export type JqAsk = {
  readonly program: string;
  readonly rawOutput?: boolean;
  readonly slurp?: boolean;
  readonly nullInput?: boolean;
  readonly sortKeys?: boolean;
  /** One value a line unless it says otherwise. */
  readonly compact?: boolean;
  readonly args?: Readonly<Record<string, string>>;
  readonly jsonArgs?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type GrepAsk = { readonly pattern: string; readonly options: readonly string[]; readonly signal?: AbortSignal };

/** How long somebody waits, and how much is shown. */
export type Patience = "agent" | "person" | "long";

export const JQ_LIMITS: Readonly<Record<Patience, JqLimits>> = {
  agent: {
    deadlineMs: LIMITS.jqMs,
    memoryBytes: LIMITS.jqMemoryBytes,
    outputBytes: LIMITS.jqShownBytes,
    programChars: LIMITS.jqProgramChars,
  },
  person: {
    deadlineMs: LIMITS.jqPersonMs,
    memoryBytes: LIMITS.jqPersonMemoryBytes,
    outputBytes: LIMITS.jqPersonShownBytes,
  },
  long: {
    deadlineMs: LIMITS.jqLongMs,
    memoryBytes: LIMITS.jqPersonMemoryBytes,
    outputBytes: LIMITS.jqPersonShownBytes,
  },
};

export const GREP_LIMITS: GrepLimits = {
  deadlineMs: LIMITS.grepMs,
  lines: LIMITS.grepLines,
  bytes: LIMITS.grepBytes,
  lineChars: LIMITS.grepLineChars,
};

/** Runs a jq program over an artifact; null when it holds no JSON. */
export async function jqArtifact(
  archive: Archive,
  row: ArtifactDbRow,
  ask: JqAsk,
  limits: JqLimits,
): Promise<JqAnswer | null> {
  if (!(await holdsJson(archive, row))) return null;
  return archive.jobs.jq({
    path: await checkedPath(archive, row.digest),
    program: ask.program,
    options: {
      compact: ask.compact ?? true,
      raw_output: ask.rawOutput ?? false,
      slurp: ask.slurp ?? false,
      null_input: ask.nullInput ?? false,
      sort_keys: ask.sortKeys ?? false,
      args: ask.args ?? {},
      json_args: ask.jsonArgs ?? {},
    },
    isJsonLines: holdsLines(row),
    limits,
    ...(ask.signal !== undefined && { signal: ask.signal }),
  });
}

export async function grepArtifact(
  archive: Archive,
  row: Pick<ArtifactDbRow, "digest">,
  ask: GrepAsk,
  limits: GrepLimits = GREP_LIMITS,
): Promise<GrepAnswer> {
  return archive.jobs.grep({
    path: await checkedPath(archive, row.digest),
    pattern: ask.pattern,
    options: ask.options,
    limits,
    ...(ask.signal !== undefined && { signal: ask.signal }),
  });
}

/** Where the bytes are, once they are known to be those of the digest. A damaged blob is refused, and set aside. */
export async function checkedPath(archive: Archive, digest: string): Promise<string> {
  for await (const _ of archive.blobs.read(digest, { start: 0, end: 1 })) break;
  return (
    archive.blobs.path?.(digest) ??
    fail("unsupported", "This archive's bytes are not in local files. jq and grep need local files.")
  );
}

/** Many values, one a line. */
export const holdsLines = (row: Pick<ArtifactDbRow, "content_type">): boolean =>
  /ndjson|jsonl|json-seq/i.test(row.content_type);

/** Said to be JSON, or text that begins as a document of it does. */
export async function holdsJson(archive: Archive, row: ArtifactDbRow): Promise<boolean> {
  if (/json/i.test(row.content_type)) return true;
  return row.line_count !== null && beginsAsJson(archive, row.digest);
}

/** By its first 256 bytes. */
export async function beginsAsJson(archive: Archive, digest: string): Promise<boolean> {
  let head = "";
  for await (const piece of archive.blobs.read(digest, { start: 0, end: 256 }))
    head += Buffer.from(piece).toString("latin1");
  return /^(\xEF\xBB\xBF)?\s*[[{]/.test(head);
}
