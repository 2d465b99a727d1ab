// The archive of the second generation: a manifest, and a file for each time that traces were taken away. An entry is
// pending until its file is whole; pending ones are not read.
import type { JsonObject } from "./trace-lines.ts";
import { isObject, readObject } from "./trace-lines.ts";
import { asNumber, asText } from "./json-value.ts";
import { sha256 } from "./files.ts";

type BoundaryType = "native_compaction" | "provider_compaction_boundary";

export type Boundary = {
  readonly type: BoundaryType;
  readonly key: string;
  readonly traceId?: string | null;
  readonly runtimeKind?: string | null;
  readonly sourceEvent?: string | null;
};

/** What we look at in an entry; the rest of it goes along. */
export type Segment = {
  readonly index: number;
  readonly fileName: string;
  readonly boundaryKey: string;
  readonly status: "pending" | "complete";
  readonly entry: JsonObject;
};

export type ArchiveManifest = {
  readonly nextIndex: number;
  readonly segments: readonly Segment[];
  readonly value: JsonObject;
};

export const NO_ARCHIVE: ArchiveManifest = {
  nextIndex: 1,
  segments: [],
  value: { schema_version: 1, next_segment_index: 1, segments: [] },
};

/** The manifest, or null when the bytes are none. */
export function readManifest(bytes: Buffer): ArchiveManifest | null {
  const value = readObject(bytes);
  if (value === null) return null;
  const listed = Array.isArray(value["segments"]) ? value["segments"].filter(isObject) : [];
  const segments = listed.map((entry) => ({
    index: asNumber(entry["index"]) ?? 0,
    fileName: asText(entry["file_name"])?.trim() ?? "",
    boundaryKey: asText(entry["boundary_key"]) ?? "",
    status: entry["status"] === "complete" ? ("complete" as const) : ("pending" as const),
    entry,
  }));
  const last = segments.reduce((most, { index }) => Math.max(most, index), 0);
  return { nextIndex: Math.max(1, last + 1, asNumber(value["next_segment_index"]) ?? 1), segments, value };
}

export const completeSegments = ({ segments }: ArchiveManifest): Segment[] =>
  segments.filter(({ status }) => status === "complete").toSorted((a, b) => a.index - b.index);

/** A name in the archive folder, and nothing that leads out of it. */
export const isSegmentName = (name: string): boolean => /^[^/\\\0]+\.jsonl$/.test(name) && !name.startsWith(".");

/** The key of a compaction: it says which traces were taken away, so that the same one again is known. */
export const compactionKey = (ids: readonly string[]): string =>
  `native_compaction:${eight([...new Set(ids)].toSorted().join(","))}`;

export type Added = { readonly pending: string; readonly complete: string; readonly fileName: string };

/** The two manifests around a new segment: stale pending entries of its boundary are gone from both. */
export function addSegment(
  manifest: ArchiveManifest,
  boundary: Boundary,
  records: readonly JsonObject[],
  nowMs: number,
): Added {
  const index = manifest.nextIndex;
  const stamp = new Date(nowMs).toISOString().replace(/[-:.]/g, "");
  const fileName = `${String(index).padStart(6, "0")}_${stamp}_${eight(boundary.key)}.jsonl`;
  const [first, last] = [records[0], records.at(-1)];
  const entry = {
    index,
    file_name: fileName,
    boundary_type: boundary.type,
    boundary_key: boundary.key,
    boundary_trace_id: boundary.traceId ?? null,
    runtime_kind: boundary.runtimeKind ?? null,
    source_event: boundary.sourceEvent ?? null,
    archived_at: nowMs / 1000,
    first_trace_id: asText(first?.["id"]),
    last_trace_id: asText(last?.["id"]),
    first_ts: asNumber(first?.["ts"]),
    last_ts: asNumber(last?.["ts"]),
    record_count: records.length,
  };
  const before = manifest.segments
    .filter(({ boundaryKey, status }) => boundaryKey !== boundary.key || status === "complete")
    .map((segment) => segment.entry);
  const text = (status: string): string =>
    JSON.stringify({
      ...manifest.value,
      schema_version: 1,
      next_segment_index: index + 1,
      segments: [...before, { ...entry, status }],
    });
  return { pending: text("pending"), complete: text("complete"), fileName };
}

const eight = (text: string): string => sha256(text).slice(0, 8);
