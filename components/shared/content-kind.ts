// What an artifact holds, as far as its viewers ask.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";

export type ViewerProps = { readonly artifact: ArtifactView };

/** Images that a browser draws without running anything in them. */
const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);

const typeOf = ({ contentType }: ArtifactView): string => contentType.split(";")[0] ?? "";

/** Bytes that can be read as lines of text. */
export const isText = ({ lineCount }: ArtifactView): boolean => lineCount !== null;

export const isImage = (artifact: ArtifactView): boolean => IMAGES.has(typeOf(artifact));

export const isJsonLines = (artifact: ArtifactView): boolean => typeOf(artifact) === "application/x-ndjson";

/** One JSON document, or one a line. */
export const isJson = (artifact: ArtifactView): boolean =>
  isText(artifact) && (typeOf(artifact) === "application/json" || isJsonLines(artifact));

/** JSON that the server makes an index of. */
export const isTree = (artifact: ArtifactView): boolean =>
  isJson(artifact) && artifact.sizeBytes <= LIMITS.jsonTreeBytes;

const CSV_TYPES = new Set(["text/csv", "text/tab-separated-values"]);

export const isCsv = (artifact: ArtifactView): boolean => isText(artifact) && CSV_TYPES.has(typeOf(artifact));

/** Rows and columns: CSV, JSON lines, a list of objects. Of a large one the shape may not be known. */
export const isTable = (artifact: ArtifactView): boolean =>
  isCsv(artifact) ||
  (isText(artifact) && isJsonLines(artifact)) ||
  (isJson(artifact) && /^(?:array\(\d+\) of object\b|text\(|$)/u.test(artifact.shape ?? ""));

export const isMarkdown = (artifact: ArtifactView): boolean =>
  isText(artifact) && (typeOf(artifact) === "text/markdown" || /\.(?:md|markdown|mdx)$/iu.test(artifact.name ?? ""));
