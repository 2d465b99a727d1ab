// Pages of lines: what one request brings. The server puts those of the first screen into the page. Pure.

import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { isJson, isText } from "./content-kind.ts";

/** Lines of one request: four screens, some 30 KB. */
export const LINES = 200;

export const linesKey = (digest: string, page: number) => ["lines", digest, page] as const;

/** Pages of the first screen, from 0: of the text's start, or around a line (from 1). */
export function firstPages(line: number | null, lineCount: number): number[] {
  const last = Math.floor((lineCount - 1) / LINES);
  if (line === null) return [0];
  const pageOf = (at: number) => Math.max(0, Math.min(last, Math.floor(at / LINES)));
  return [...new Set([pageOf(line - 20), pageOf(line + 60)])];
}

/** Text that opens as lines: no other viewer comes before them. */
export const isPlainText = (artifact: ArtifactView): boolean =>
  isText(artifact) && !isJson(artifact) && !/^text\/(csv|tab-separated-values|markdown)\b/.test(artifact.contentType);
