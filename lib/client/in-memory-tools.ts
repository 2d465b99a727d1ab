// The three tools with which a model stores and reads artifacts of its session's state. Readings are bounded: a reading
// that returned 10 MB would undo what storing saved.
import { z } from "zod";
import { utf8Size } from "#lib/kernel/artifacts/pointer.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { ArtifactTool } from "./artifact-tool.ts";
import { artifactTool } from "./artifact-tool.ts";
import { storeArtifact } from "./in-memory-artifacts.ts";
import type { ArtifactContext } from "./in-memory-state.ts";
import { find, stateOf, textOf } from "./in-memory-state.ts";
import { noArtifact, textPage } from "./text-page.ts";

const storeInput = z.strictObject({
  name: z.string().describe("A short name by which it can be read back"),
  value: z.string().describe("The value; JSON as text"),
  contentType: z.string().optional().describe("Its content type, for example application/json"),
});
const getInput = z.strictObject({
  pointerOrName: z.string().describe("A pointer (art:…) or the name that it was stored under"),
  start_line: z.int().min(1).optional().describe("The first line to read, where a reading said to continue"),
  start_char: z.int().min(0).optional().describe("The first character inside that line"),
});
const listInput = z.strictObject({});

/** `storeArtifact`, `getArtifact`, `listArtifacts` over the artifacts of one session's state. */
export function artifactTools(ctx: ArtifactContext): readonly ArtifactTool<string>[] {
  return [
    artifactTool(
      "storeArtifact",
      "Stores a large value outside the conversation and returns a short pointer to it.",
      storeInput,
      ({ name, value, contentType }) => {
        const { pointer, preview, sizeBytes } = storeArtifact(ctx, value, { name, contentType });
        return JSON.stringify({ pointer, preview, sizeBytes, name });
      },
    ),
    artifactTool(
      "getArtifact",
      "Reads a stored artifact by its pointer or name. A long one comes in pages that say how to continue.",
      getInput,
      ({ pointerOrName, ...start }) => {
        const held = find(ctx, pointerOrName);
        return held === null ? noArtifact(pointerOrName) : textPage(textOf(ctx, held), start);
      },
    ),
    artifactTool(
      "listArtifacts",
      "Lists the newest stored artifacts of this session, with their previews.",
      listInput,
      () => listText(ctx),
    ),
  ];
}

/** The newest that fit into one answer, oldest first. */
function listText(ctx: ArtifactContext): string {
  const items: string[] = [];
  let bytes = 2;
  for (const { id, name, sizeBytes, preview, contentType, storedAt } of stateOf(ctx).held.toReversed()) {
    const item = JSON.stringify({ pointer: `art:${id}`, name, sizeBytes, preview, contentType, storedAt });
    bytes += utf8Size(item) + 1;
    if (bytes > LIMITS.readWholeBytes || items.length === LISTED) break;
    items.push(item);
  }
  return `[${items.toReversed().join(",")}]`;
}

/** As many as artifact_list gives at most. */
const LISTED = 200;
