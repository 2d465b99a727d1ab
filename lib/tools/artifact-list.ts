// What is stored in a session: each storing once, the newest first.
import { z } from "zod";
import type { ArtifactDbRow } from "#lib/archive/base/artifact-row.ts";
import { listRefs, type RefsAsk } from "#lib/archive/artifacts/list-refs.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { defineTool, refusal, type ToolContext, type ToolResult } from "./define-tool.ts";

const NOTE_BYTES = 128;
/** Of a preview in a list (characters); the whole one stands in the envelope. */
const PREVIEW_CHARS = 300;

export const artifactList = defineTool({
  name: "artifact_list",
  title: "List artifacts",
  description: "Lists the stored artifacts, the newest first, with their sizes and previews.",
  maxBytes: LIMITS.listedBytes,
  input: z.strictObject({
    limit: z.int().min(1).max(LIMITS.listedArtifacts).default(LIMITS.listedArtifactsDefault),
    cursor: z
      .string()
      .regex(/^[0-9a-f-]{36}$/, "is not from a list")
      .optional()
      .describe("Where the list before said to continue"),
    name_contains: z.string().min(1).max(1000).optional(),
    tool_name: z.string().min(1).max(400).optional().describe("The tool whose output it is"),
  }),
  run: (context, { limit, cursor, name_contains, tool_name }) =>
    list(
      context,
      {
        limit,
        before: cursor === undefined ? null : `art:${cursor}`,
        nameContains: name_contains,
        toolName: tool_name,
      },
      (row) => ({ pointer: row.pointer, artifact_id: contentId(row), ...facts(row) }),
    ),
});

export const listArtifacts = defineTool({
  name: "listArtifacts",
  title: "List artifacts",
  aliasOf: "artifact_list",
  description: "Lists the stored artifacts of this session, with their previews.",
  maxBytes: LIMITS.listedBytes,
  input: z.strictObject({}),
  run: (context) =>
    list(context, { limit: LIMITS.listedArtifacts, before: null }, (row) => ({ pointer: row.pointer, ...facts(row) })),
});

const contentId = (row: ArtifactDbRow): string => row.content_id ?? `art_${row.digest.slice(0, 16)}`;

const facts = (row: ArtifactDbRow) => ({
  name: row.name,
  sizeBytes: row.size,
  preview: (row.preview ?? "").slice(0, PREVIEW_CHARS).toWellFormed(),
  contentType: row.content_type,
  storedAt: row.created_at,
});

function list({ archive, scope }: ToolContext, ask: RefsAsk, tell: (row: ArtifactDbRow) => object): ToolResult {
  const found = listRefs(archive, scope, ask);
  if (found === null) return refusal("artifact_list: cursor: is not from a list");
  const { rows, left } = found;
  const result: string[] = [];
  let bytes = 2;
  for (const row of rows) {
    const text = JSON.stringify(tell(row));
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > LIMITS.listedBytes - NOTE_BYTES) break;
    result.push(text);
  }
  const more = left + rows.length - result.length;
  const last = rows[result.length - 1];
  // The cursor is what the asker has seen: a number of a row would tell how many others there are.
  const note =
    more > 0 && last !== undefined
      ? `\n[${more} more artifacts; continue with artifact_list cursor=${last.pointer.slice(4)}]`
      : "";
  return { text: `[${result.join(",")}]${note}`, isError: false };
}
