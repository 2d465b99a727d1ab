// A tool result outside its transcript, OpenClaw's way: <artifacts>/<id>.json holds the content, registry.jsonl a line for
// it, and `details.artifactRef` in the transcript names it. Ours differ where the originals went wrong: an id comes from
// the content, and a path is relative and never followed.
import { hash } from "node:crypto";
import { z } from "zod";
import { jsonText } from "#lib/kernel/json-text.ts";
import { utf8Size } from "#lib/kernel/artifacts/pointer.ts";
import { headOf } from "#lib/kernel/artifacts/preview.ts";

export const artifactRef = z.object({
  id: z.string().regex(/^art_[A-Za-z0-9_-]{1,128}$/),
  type: z.literal("tool-result"),
  toolName: z.string().optional(),
  createdAt: z.string(),
  sizeBytes: z.number(),
  summary: z.string(),
  path: z.string(),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
export type OpenClawArtifactRef = z.infer<typeof artifactRef>;

/** Of `details.artifactVersion`. */
export const ARTIFACT_VERSION = 1;

/** The name of a content: sha-256 of its JSON. The same content has the same name, in every transcript. */
export const contentHash = (content: unknown): string => hash("sha256", jsonText(content), "hex");

/** The file of an artifact, relative to the folder of the artifacts. The id was checked: it is no path. */
export const payloadName = (id: string): string => `${id}.json`;

const SUMMARY_CHARS = 200;

/** The text of a content's blocks, one after the other. */
export const textOfContent = (content: unknown): string =>
  blocksOf(content)
    .flatMap((block) => textsOf(block))
    .join("\n");

/** The text of a content's blocks, shortened; images are counted; what has neither is "tool result". */
export function summaryOfContent(content: unknown): string {
  const text = textOfContent(content).replace(/\s+/g, " ").trim();
  const images = blocksOf(content).filter((block) => (block as { type?: unknown } | null)?.type === "image").length;
  const head = headOf(text, SUMMARY_CHARS);
  const shown = head.length < text.length ? `${head}…` : head;
  const counted = images === 0 ? "" : `(${images} images)`;
  return [shown, counted].filter(Boolean).join(" ") || "tool result";
}

/** Bytes of a content: of a block with text its text, of any other its JSON. */
export function sizeOfContent(content: unknown): number {
  return blocksOf(content).reduce<number>((sum, block) => sum + utf8Size(textsOf(block)[0] ?? jsonText(block)), 0);
}

const blocksOf = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : [content]);

function textsOf(block: unknown): string[] {
  const said = typeof block === "string" ? block : (block as { text?: unknown } | null)?.text;
  return typeof said === "string" ? [said] : [];
}
