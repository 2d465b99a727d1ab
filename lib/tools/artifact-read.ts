// Reading back: an output whole while it is small, else the part that was asked for and how to go on.
import { z } from "zod";
import { readBytes, readText, type ReadAsk } from "#lib/archive/artifacts/read-artifact.ts";
import { refOfPath } from "#lib/archive/artifacts/resolve-path.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { defineTool, refusal, type ToolContext, type ToolResult } from "./define-tool.ts";
import { findRef, ref } from "./find-ref.ts";

/** Four characters of base64 for three bytes, and the fields around them. */
const BASE64_BYTES = 4 * Math.ceil(LIMITS.readWholeBytes / 3) + 2048;

type Ask = ReadAsk & { readonly encoding?: "raw" | "base64" | undefined };

export const artifactRead = defineTool({
  name: "artifact_read",
  title: "Read an artifact",
  description: `Reads a stored artifact: all of it up to ${LIMITS.readWholeBytes} bytes, or up to ${LIMITS.readLines} lines. A reading that was cut ends with a line that says how to continue.`,
  maxBytes: BASE64_BYTES,
  input: z
    .strictObject({
      artifact_id: ref,
      encoding: z.enum(["raw", "base64"]).optional().describe("base64 for what is not text; raw when absent"),
      start_line: z.int().min(1).optional().describe("First line, from 1"),
      end_line: z.int().min(1).optional().describe("Last line, inclusive"),
      start_char: z.int().min(0).optional().describe("First character inside start_line, from 0; a byte in base64"),
      max_chars: z.int().min(1).max(LIMITS.readChars).optional().describe("Characters at most; bytes in base64"),
    })
    .refine(({ start_line = 1, end_line }) => end_line === undefined || end_line >= start_line, {
      path: ["end_line"],
      message: "is before start_line",
    }),
  run: (context, { artifact_id, encoding, start_line, end_line, start_char, max_chars }) =>
    read(context, "artifact_read", artifact_id, {
      encoding,
      startLine: start_line,
      endLine: end_line,
      startChar: start_char,
      maxChars: max_chars,
    }),
});

export const getArtifact = defineTool({
  name: "getArtifact",
  title: "Read an artifact",
  aliasOf: "artifact_read",
  description: `Reads a stored artifact by pointer or name. One over ${LIMITS.readWholeBytes} bytes is cut, and ends with a line that says where artifact_read continues.`,
  maxBytes: LIMITS.readWholeBytes,
  input: z.strictObject({ pointerOrName: ref }),
  run: (context, { pointerOrName }) => read(context, "getArtifact", pointerOrName, {}),
});

export const readFile = defineTool({
  name: "read_file",
  title: "Read an artifact by path",
  aliasOf: "artifact_read",
  description: "Reads a stored artifact by its id or by its path in the artifact store. No other file is read.",
  maxBytes: LIMITS.readWholeBytes,
  input: z.strictObject({ path: z.string().min(1).max(4096).describe("artifact_id, pointer, or path of an artifact") }),
  run: (context, { path }) => {
    const id = /^(art:|art_[a-z0-9_-]+$|sha256:)/.test(path) ? path : refOfPath(context.archive.dir, path);
    return id === null
      ? refusal("read_file: only artifact paths are readable")
      : read(context, "read_file", id, {}, path);
  },
});

async function read(
  context: ToolContext,
  tool: string,
  query: string,
  ask: Ask,
  saidAs: string = query,
): Promise<ToolResult> {
  const { row, none } = findRef(context, query);
  if (none !== undefined) return { ...none, text: none.text.replace(`'${query}'`, () => `'${saidAs}'`) };
  const { encoding, ...part } = ask;
  const { pointer } = row;
  if (encoding === "base64") {
    const { data, nextByte } = await readBytes(context.archive, row, part, LIMITS.readWholeBytes);
    const result = {
      artifact_id: row.content_id ?? `art_${row.digest.slice(0, 16)}`,
      size_bytes: row.size,
      data: data.toString("base64"),
      truncated: nextByte !== null,
      ...(nextByte !== null && { next_start_char: nextByte }),
    };
    return { text: JSON.stringify(result), isError: false, pointer };
  }
  try {
    const found = await readText(context.archive, row, part);
    if (found.kind === "past end") return ok(`[artifact has only ${found.lineCount} lines]`, pointer);
    if (found.kind === "past line") return ok(`[line ${found.line} has only ${found.chars} characters]`, pointer);
    const { text, cut } = found;
    return ok(cut === null ? text : `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${cut}`, pointer);
  } catch (error) {
    if (!isAppError(error) || error.code !== "unsupported") throw error;
    return refusal(`${tool}: ${error.message}; read it with artifact_read and encoding "base64"`, pointer);
  }
}

const ok = (text: string, pointer: string): ToolResult => ({ text, isError: false, pointer });
