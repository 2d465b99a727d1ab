// Artifacts in the memory of a run, Agentium's way: a large value is kept in the session's state, and a short pointer
// with a preview goes into the context. Synchronous; no value makes it throw. What comes back is a copy: later changes
// of the stored object do not reach the artifact.
import type { ArtifactContext, HeldArtifact, HoldOptions } from "./in-memory-state.ts";
import { find, hold, stateOf, textOf } from "./in-memory-state.ts";

export { approxByteSize, isPointer } from "#lib/kernel/artifacts/pointer.ts";
export type { ArtifactContext } from "./in-memory-state.ts";

export type ArtifactPointer = {
  /** `art:<uuid>` */
  readonly pointer: string;
  readonly preview: string;
  readonly sizeBytes: number;
  readonly name?: string;
};

export type StoredArtifact = {
  /** Of `art:<id>`. */
  readonly id: string;
  readonly name?: string;
  readonly value: unknown;
  readonly preview: string;
  readonly sizeBytes: number;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
  readonly contentType?: string;
};

/** Keeps a value in the session's state and returns what may stand in the context for it. */
export function storeArtifact(ctx: ArtifactContext, value: unknown, opts: HoldOptions = {}): ArtifactPointer {
  const { id, preview, sizeBytes, name } = hold(ctx, value, opts);
  return { pointer: `art:${id}`, preview, sizeBytes, ...(name === undefined ? {} : { name }) };
}

/** The artifact of a pointer, or the newest of a name; null when there is none. */
export function getArtifact(ctx: ArtifactContext, pointerOrName: string): StoredArtifact | null {
  const held = find(ctx, pointerOrName);
  return held === null ? null : withValue(ctx, held);
}

/** Every artifact once, oldest first, whatever names it has. */
export function listArtifacts(ctx: ArtifactContext): StoredArtifact[] {
  return stateOf(ctx).held.map((held) => withValue(ctx, held));
}

/** What a name stood for, oldest first; the last one is what it stands for now. */
export function nameHistory(ctx: ArtifactContext, name: string): StoredArtifact[] {
  return stateOf(ctx)
    .held.filter((held) => held.name === name)
    .map((held) => withValue(ctx, held));
}

function withValue(ctx: ArtifactContext, held: HeldArtifact): StoredArtifact {
  const { id, name, preview, sizeBytes, storedAt, contentType, form } = held;
  const text = textOf(ctx, held);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    // Parsed when it is looked at: a list of large values costs nothing.
    get value(): unknown {
      return form === "json" ? JSON.parse(text) : text;
    },
    preview,
    sizeBytes,
    storedAt,
    ...(contentType === undefined ? {} : { contentType }),
  };
}
