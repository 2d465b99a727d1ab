// Searching an output without reading it: lines that match, as grep prints them.
import { z } from "zod";
import { GREP_LIMITS, grepArtifact } from "#lib/archive/artifacts/query-artifact.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { countChars } from "#lib/kernel/artifacts/preview.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { defineTool, refusal } from "./define-tool.ts";
import { findRef, ref } from "./find-ref.ts";

type Answer = Awaited<ReturnType<Archive["jobs"]["grep"]>>;
type Found = Extract<Answer, { ok: true }>;

/** The last line, with numbers as long as they get. */
const NOTE_BYTES = 128;

export const artifactGrep = defineTool({
  name: "artifact_grep",
  title: "Search an artifact",
  description: `Searches the lines of a stored artifact with an extended regular expression, for example "error|exception". Shows up to ${LIMITS.grepLines} lines and says how many matches more there are.`,
  maxBytes: LIMITS.grepBytes,
  input: z.strictObject({
    artifact_id: ref,
    pattern: z.string().max(LIMITS.grepPatternChars).describe("grep regular expression"),
    grep_options: z
      .array(z.string().max(40))
      .max(LIMITS.grepOptions)
      .optional()
      .describe('For example ["-i", "-n"]. Allowed: -i -v -n -c -w -x -o -F -E, -A N, -B N, -C N, -m N'),
  }),
  run: async (context, { artifact_id, pattern, grep_options: options = [] }) => {
    const { row, none } = findRef(context, artifact_id);
    if (none !== undefined) return none;
    const { archive, signal } = context;
    const ask = { pattern, options, ...(signal !== undefined && { signal }) };
    const answer = await grepArtifact(archive, row, ask, GREP_LIMITS);
    if (answer.ok) return { text: grepText(answer, options, LIMITS.grepBytes), isError: false, pointer: row.pointer };
    const isVerbatim = answer.kind === "option";
    return refusal(isVerbatim ? answer.message : `artifact_grep: ${answer.message}`, row.pointer);
  },
});

/** As grep prints it: `N:` in front with -n, `--` between parts that do not touch when context was asked for. */
export function grepText(found: Found, options: readonly string[], maxBytes: number): string {
  if (found.count !== undefined) return String(found.count);
  if (found.lines.length === 0) return "[no matches]";
  const isNumbered = hasLetter(options, "n");
  const hasContext = ["A", "B", "C"].some((letter) => hasLetter(options, letter));
  const out: string[] = [];
  let bytes = 0;
  let omitted = found.omitted;
  let before: number | null = null;
  for (const [i, line] of found.lines.entries()) {
    const isApart = hasContext && before !== null && line.line > before + 1;
    const prefix = isNumbered ? `${line.line}${line.isContext ? "-" : ":"}` : "";
    const part = line.cut ? ` [chars ${line.start}–${line.start + countChars(line.text)} of this line]` : "";
    const text = `${isApart ? "--\n" : ""}${prefix}${line.text}${part}`;
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > maxBytes - NOTE_BYTES) {
      omitted += found.lines.slice(i).filter((left) => !left.isContext).length;
      break;
    }
    out.push(text);
    before = line.line;
  }
  if (omitted > 0) out.push(`[${omitted} more matches omitted]`);
  if (!found.isCounted) out.push("[the search was stopped at its deadline; there may be more]");
  return out.join("\n");
}

/** `-in` has n, `-A3` has none: what follows a number's letter is its number. */
function hasLetter(options: readonly string[], wanted: string): boolean {
  return options.some((word) => {
    if (!/^-[A-Za-z]/.test(word)) return false;
    const letters = /^-([A-Za-z]*)/.exec(word)![1]!;
    const numbered = letters.search(/[ABCm]/);
    return letters.slice(0, numbered < 0 ? undefined : numbered + 1).includes(wanted);
  });
}
