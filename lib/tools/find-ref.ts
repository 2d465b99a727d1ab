// The artifact that a tool was asked about, or what it answers when there is none to read.
import type { ArtifactDbRow } from "#lib/archive/base/artifact-row.ts";
import { clipRef, goneText, tryResolve } from "#lib/archive/artifacts/resolve.ts";
import { z } from "zod";
import { refusal, type ToolContext, type ToolResult } from "./define-tool.ts";

/** What an artifact may be asked for by: pointer, content id, digest or name; the longest is a name with its session. */
export const ref = z
  .string()
  .min(1)
  .max(1500)
  .describe("The artifact: its artifact_id (art_…), its pointer (art:…), sha256:…, or its name");

type Found =
  | { readonly row: ArtifactDbRow; readonly none?: never }
  | { readonly none: ToolResult; readonly row?: never };

export function findRef({ archive, scope }: ToolContext, text: string): Found {
  const row = tryResolve(archive, text, scope);
  if (row === null) return { none: refusal(`[no artifact found for '${clipRef(text)}']`) };
  const gone = goneText(row, text, archive.host.now());
  return gone === null ? { row } : { none: refusal(gone, row.pointer) };
}
