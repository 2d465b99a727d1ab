// The lines of a session's registry, taken together: what its rows were when the last line was written.
import { readRegistry } from "#lib/blobs/session-registry.ts";
import type { Archive } from "../base/archive-type.ts";
import type { NewArtifact } from "../base/artifact-row.ts";
import type { SessionLine } from "./held-session.ts";

export type Folded = {
  readonly id: string;
  readonly nativeId: string | null;
  readonly session: SessionLine | null;
  /** The last line of each pointer, with the end that a later line told of. */
  readonly artifacts: ReadonlyMap<string, NewArtifact>;
  readonly names: readonly { readonly name: string; readonly pointer: string; readonly at: number }[];
  readonly deleted: ReadonlyMap<string, { readonly at: number; readonly why: string }>;
  readonly closedTurns: readonly number[];
};

type Line = { op?: unknown; nativeId?: unknown } & Record<string, unknown>;

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";

/** Reads a registry. A line that cannot be read takes nothing else with it. */
export async function foldRegistry(archive: Archive, id: string): Promise<Folded> {
  const artifacts = new Map<string, NewArtifact>();
  const deleted = new Map<string, { at: number; why: string }>();
  const names: { name: string; pointer: string; at: number }[] = [];
  const closedTurns: number[] = [];
  let nativeId: string | null = null;
  let session: SessionLine | null = null;
  for await (const { value } of readRegistry(archive.dir, id)) {
    if (value === null) continue;
    const line = value as Line;
    if (isText(line.nativeId)) nativeId = line.nativeId;
    const { pointer, at, name, why, turn } = line;
    if (line.op === undefined && isText(pointer) && isText(line["digest"])) {
      const { nativeId: _, ...artifact } = line;
      artifacts.set(pointer, artifact as unknown as NewArtifact);
    } else if (line.op === "session") session ??= line as unknown as SessionLine;
    else if (line.op === "name" && isText(name) && isText(pointer) && isNumber(at)) names.push({ name, pointer, at });
    else if (line.op === "close" && isNumber(turn) && !closedTurns.includes(turn)) closedTurns.push(turn);
    else if (line.op === "delete" && isText(pointer) && isNumber(at) && isText(why))
      // What ended once stays as it ended.
      if (!deleted.has(pointer)) deleted.set(pointer, { at, why });
  }
  for (const [pointer, { at, why }] of deleted) {
    const artifact = artifacts.get(pointer);
    if (artifact !== undefined && (artifact.deletedAt ?? null) === null)
      artifacts.set(pointer, { ...artifact, deletedAt: at, deletedWhy: why });
  }
  return { id, nativeId, session, artifacts, names, deleted, closedTurns };
}
