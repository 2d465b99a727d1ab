// Which generation of Autobyteus wrote a folder. Both may have: then the second counts, because its code refuses what
// it does not know, and takes the first's lines for damage.
import { readdirSync } from "node:fs";
import { FILES } from "./directory-paths.ts";
import type { JsonObject } from "./trace-lines.ts";
import type { Generation } from "./raw-trace.ts";

export type Signs = {
  readonly names: readonly string[];
  readonly snapshotSchema: number | null;
  readonly traces: readonly JsonObject[];
  readonly semantic: readonly JsonObject[];
};

export type Detected = {
  /** Null: nothing tells. */
  readonly generation: Generation | null;
  /** Written by a generation after the second: it is read, and never written. */
  readonly isNewer: boolean;
  readonly warnings: readonly string[];
};

const SECOND_TYPES = new Set(["reasoning", "tool_continuation", "operation_boundary", "provider_compaction_boundary"]);

/** The second generation puts a call id or a uuid behind the time. Eight hex digits are what we write, in either. */
const SECOND_ID = /^rt_\d+_(?![0-9a-f]{8}$)/;

export function detectGeneration({ names, snapshotSchema, traces, semantic }: Signs): Detected {
  const has = (name: string): boolean => names.includes(name);
  const first = [
    has(FILES.rawTracesArchive) && FILES.rawTracesArchive,
    snapshotSchema === 1 && "a snapshot of schema 1",
    traces.some((trace) => "tags" in trace || "tool_result_ref" in trace) && "tags or tool_result_ref in raw traces",
    semantic.some((item) => "tags" in item || "confidence" in item) && "tags or confidence in semantic items",
  ].filter((sign) => sign !== false);
  const second = [
    has(FILES.compactedManifest) && FILES.compactedManifest,
    has(FILES.archiveManifest) && FILES.archiveManifest,
    snapshotSchema === 3 && "a snapshot of schema 3",
    semantic.some((item) => "category" in item) && "semantic items with a category",
    traces.some(isOfSecond) && "raw traces of its types or ids",
  ].filter((sign) => sign !== false);
  const isNewer = has(FILES.newerManifest) || (snapshotSchema ?? 0) > 3;
  const warnings: string[] = [];
  if (isNewer) warnings.push("A newer Autobyteus wrote here. Known parts are read; nothing is written.");
  if (first.length > 0 && second.length > 0)
    warnings.push(
      `Both generations wrote here. It is read as the second (${second.join(", ")}), despite ${first.join(", ")}.`,
    );
  return { generation: second.length > 0 ? 2 : first.length > 0 ? 1 : null, isNewer, warnings };
}

const isOfSecond = (trace: JsonObject): boolean =>
  isSecondType(String(trace["trace_type"])) || (typeof trace["id"] === "string" && isSecondId(trace["id"]));

export const isSecondType = (traceType: string): boolean => SECOND_TYPES.has(traceType);
export const isSecondId = (id: string): boolean => SECOND_ID.test(id);

/** Names in a folder; none where there is no folder. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
