// What a store knows of one session: its refs by what they are asked for, as its registry says, and which were removed.
import { basename, join } from "node:path";
import { ID_LENGTHS, artifactIdOf, parseRef } from "#lib/kernel/artifacts/pointer.ts";
import { ArtifactRef } from "./artifact-ref.ts";
import { RegistryReader, appendLine } from "./store-registry.ts";
import type { BadLine, StoredLine } from "./store-registry.ts";

export class SessionIndex {
  readonly folder: string;
  readonly #now: () => number;
  readonly #reader: RegistryReader;
  readonly #refs = new Map<string, ArtifactRef>();
  /** By artifact_id, oldest first. */
  readonly #contents = new Map<string, ArtifactRef[]>();
  readonly #removed = new Set<string>();

  constructor(folder: string, now: () => number) {
    this.folder = folder;
    this.#now = now;
    this.#reader = new RegistryReader(folder);
  }

  /** Reads what was added since: by this store or by another process. */
  refresh(): this {
    const { isFresh, lines } = this.#reader.read();
    if (isFresh) {
      this.#refs.clear();
      this.#contents.clear();
      this.#removed.clear();
    }
    for (const line of lines) {
      if ("removed" in line) this.#removed.add(`art:${line.removed}`);
      else this.#note(this.refOf(line));
    }
    return this;
  }

  get bad(): readonly BadLine[] {
    return this.#reader.bad;
  }

  /** Oldest first, expired ones included, removed ones not. */
  present(): ArtifactRef[] {
    return [...this.#refs.values()].filter((ref) => !this.#removed.has(ref.pointer));
  }

  /** Refs of the same content that still need its file. */
  living(artifactId: string): ArtifactRef[] {
    return (this.#contents.get(artifactId) ?? []).filter((ref) => !ref.is_expired && !this.isRemoved(ref));
  }

  /** The newest that a reference or a path means; one that still lives before one that is a tombstone. */
  find(query: string): ArtifactRef | null {
    const { kind, value } = parseRef(query);
    if (kind === "pointer") return this.#refs.get(value) ?? null;
    const ids =
      kind === "digest"
        ? ID_LENGTHS.map((length) => artifactIdOf(value, length))
        : [kind === "content" ? value : basename(value, ".txt")];
    const fits = ids
      .flatMap((id) => this.#contents.get(id) ?? [])
      .filter((ref) => (kind === "digest" ? ref.digest === value : kind === "content" || ref.file_path === value));
    return fits.findLast((ref) => !ref.is_expired && !this.isRemoved(ref)) ?? fits.at(-1) ?? null;
  }

  isRemoved(ref: ArtifactRef): boolean {
    return this.#removed.has(ref.pointer);
  }

  /** Whether an id stands for other content here already. */
  isTaken(id: string, digest: string): boolean {
    return (this.#contents.get(id) ?? []).some((ref) => ref.digest !== digest);
  }

  add(line: StoredLine): ArtifactRef {
    appendLine(this.folder, line);
    const ref = this.refresh().find(`art:${line.artifact.uuid}`);
    if (ref === null) throw new Error("the registry does not return what was written to it");
    return ref;
  }

  remove(ref: ArtifactRef): void {
    appendLine(this.folder, { v: 1, removed: ref.pointer.slice("art:".length), sessionId: ref.session_id });
    this.refresh();
  }

  #note(ref: ArtifactRef): void {
    this.#refs.set(ref.pointer, ref);
    const same = this.#contents.get(ref.artifact_id);
    if (same === undefined) this.#contents.set(ref.artifact_id, [ref]);
    else same.push(ref);
  }

  fileOf(artifactId: string): string {
    return join(this.folder, `${artifactId}.txt`);
  }

  /** The ref that a line stands for. */
  refOf({ hash, artifact, sessionId }: StoredLine): ArtifactRef {
    // A path is made from the id, whatever a line says about it.
    const fields = {
      artifact_id: artifact.id,
      session_id: sessionId,
      file_path: this.fileOf(artifact.id),
      created_at: Date.parse(artifact.createdAt) / 1000,
      ttl_s: artifact.ttlSeconds,
      size_bytes: artifact.sizeBytes,
      tool_name: artifact.toolName,
      summary: artifact.summary,
      pointer: `art:${artifact.uuid}`,
      digest: hash,
    };
    return new ArtifactRef(fields, this.#now);
  }
}
