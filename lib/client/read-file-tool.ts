// `read_file` over an artifact store: a path or an id of an artifact of this session, and nothing else. What a model names
// is looked up among the session's references; no path of a model's is ever opened.
import { resolve } from "node:path";
import { z } from "zod";
import { parseRef } from "#lib/kernel/artifacts/pointer.ts";
import type { ArtifactRef } from "./artifact-ref.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import type { ArtifactTool } from "./artifact-tool.ts";
import { artifactTool } from "./artifact-tool.ts";
import { clip, noArtifact, textPage } from "./text-page.ts";

const input = z.strictObject({
  path: z.string().min(1).max(4096).describe("The path or the artifact id that a reference names"),
  start_line: z.int().min(1).optional().describe("The first line to read, where a reading said to continue"),
  start_char: z.int().min(0).optional().describe("The first character inside that line"),
});

/** The tool for the agent of one session: other sessions' artifacts are unknown to it. */
export function readFileTool(store: ArtifactStore, session_id: string): ArtifactTool {
  return artifactTool(
    "read_file",
    "Reads the full content of a stored tool output by its path or artifact id. A long one comes in pages.",
    input,
    async ({ path, ...start }) => {
      const isPath = parseRef(path).kind === "name";
      const request = isPath ? resolve(path) : path;
      const ref = store.get_ref(request, session_id);
      if (ref === null && isPath) return "read_file: only artifact paths are readable";
      if (ref === null) return noArtifact(path);
      const text = await store.retrieve(ref.pointer, session_id);
      if (text !== null) return textPage(text, start);
      return ref.is_expired ? tombstone(path, ref) : noArtifact(path);
    },
  );
}

/** What is said of an artifact that is gone: what it was, and since when. */
const tombstone = (query: string, ref: ArtifactRef): string =>
  `[artifact expired: '${clip(query)}' (${clip(ref.tool_name)}, ${ref.size_bytes} bytes, expired ${new Date(ref.expiresAt!).toISOString()})]`;
