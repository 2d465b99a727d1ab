// grep and jq for a person: the answer in fields, failures in the six codes, and the reading noted.
import { fail, type ErrorCode } from "#lib/kernel/errors.ts";
import type { GrepAnswer, JqAnswer, JqRequest } from "#lib/wire/tools-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { noteRead } from "./note-read.ts";
import { GREP_LIMITS, grepArtifact, JQ_LIMITS, jqArtifact } from "./query-artifact.ts";
import { requireLive, resolveArtifact } from "./resolve.ts";

/** Lines of an artifact that match. `options` as on a command line. */
export async function searchArtifact(
  archive: Archive,
  ref: string,
  { pattern, options }: { readonly pattern: string; readonly options: string },
  who: string,
  signal?: AbortSignal,
): Promise<GrepAnswer> {
  const row = requireLive(archive, resolveArtifact(archive, ref), ref);
  const words = options.split(/\s+/).filter(Boolean);
  const found = await grepArtifact(
    archive,
    row,
    { pattern, options: words, ...(signal !== undefined && { signal }) },
    GREP_LIMITS,
  );
  const note = { pointer: row.pointer, who, tool: "grep", request: { pattern, options: words } };
  if (!found.ok) {
    noteRead(archive, { ...note, bytes: 0, isError: true });
    return fail(found.kind === "timeout" || found.kind === "busy" ? "timeout" : "invalid", found.message);
  }
  const bytes = found.lines.reduce((sum, line) => sum + Buffer.byteLength(line.text), 0);
  noteRead(archive, { ...note, bytes, isError: false });
  const { lines, matches, omitted, isCounted, ms } = found;
  return { lines: [...lines], matches, omitted, isCounted, ms };
}

const JQ_CODES: Readonly<Record<string, ErrorCode>> = {
  timeout: "timeout",
  busy: "timeout",
  memory: "too_large",
  too_large: "too_large",
  unsupported: "unsupported",
};

/** What is noted of a reading by jq: all that it takes to run it again; most have no more than a program. */
export const jqNote = ({
  program,
  raw,
  slurp,
  nullInput,
  sortKeys,
  args,
  jsonArgs,
}: Omit<JqRequest, "long" | "compact">): object => ({
  program,
  raw,
  slurp,
  ...(nullInput && { nullInput }),
  ...(sortKeys && { sortKeys }),
  ...(Object.keys(args).length > 0 && { args }),
  ...(Object.keys(jsonArgs).length > 0 && { jsonArgs }),
});

/** What a jq program makes of an artifact. */
export async function queryArtifact(
  archive: Archive,
  ref: string,
  { program, raw, slurp, long, ...more }: JqRequest,
  who: string,
  signal?: AbortSignal,
): Promise<JqAnswer> {
  const row = requireLive(archive, resolveArtifact(archive, ref), ref);
  const ask = { program, rawOutput: raw, slurp, ...more, ...(signal !== undefined && { signal }) };
  const found = await jqArtifact(archive, row, ask, JQ_LIMITS[long ? "long" : "person"]);
  if (found === null)
    return fail("unsupported", `${row.name ?? row.pointer} is not JSON (content type ${row.content_type}).`);
  const note = { pointer: row.pointer, who, tool: "jq", request: jqNote({ program, raw, slurp, ...more }) };
  if (!found.ok) {
    noteRead(archive, { ...note, bytes: 0, isError: true });
    return fail(JQ_CODES[found.kind] ?? "invalid", `jq: ${found.message}`);
  }
  const { output, outputBytes, truncated, ms } = found;
  noteRead(archive, { ...note, bytes: Buffer.byteLength(output), isError: false });
  return { output, outputBytes, truncated, ms };
}
