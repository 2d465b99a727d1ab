// Large tool outputs as files in a folder of one's own, with the names of the ArtifactStore design:
// <base>/<session>/<artifact_id>.txt. A file is on the disk, whole and synced, before its reference is told; reads check
// the digest and survive a restart. Storing never throws into an agent's loop: store() returns a reference in any case,
// storeOutcome() says whether there is anything behind it. In one process everything that changes the index is one
// synchronous step; between processes a line is added with one write, and a file goes only after a last look.
import { constants } from "node:buffer";
import { hash, randomUUID } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { uptime as machineUptime } from "node:os";
import { join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import { freeArtifactId } from "#lib/kernel/artifacts/pointer.ts";
import { summaryOf } from "#lib/kernel/artifacts/preview.ts";
import type { ArtifactRef } from "./artifact-ref.ts";
import { SessionIndex } from "./session-index.ts";
import { SharedSync } from "./shared-sync.ts";
import { TEMPORARY, readChecked, writeTemporary } from "./store-files.ts";
import {
  defaultStoreDir,
  isSessionFolderName,
  openStoreFolder,
  reasonOf,
  sessionFolder,
  sessionFolderName,
} from "./store-folder.ts";
import { REGISTRY } from "./store-registry.ts";
import { SweepClock } from "./sweep-clock.ts";
import type { BadLine, StoredLine } from "./store-registry.ts";

export type ArtifactStoreOptions = {
  /** The folder; `artifact-store` in the person's data folder when absent. */
  readonly base?: string;
  readonly now?: () => number;
  /** How long the machine runs (milliseconds). A clock that is given without it is believed. */
  readonly uptime?: () => number;
};

export type StoreResult =
  | { readonly status: "stored"; readonly ref: ArtifactRef }
  | { readonly status: "failed"; readonly ref: ArtifactRef; readonly reason: string };

export type StoreStats = {
  readonly artifact_count: number;
  /** The same content of a session counts once. */
  readonly total_bytes: number;
  readonly logical_bytes: number;
};

/** One hour, as in the original. */
const DEFAULT_TTL_S = 3600;

export class ArtifactStore {
  readonly base: string;
  readonly #now: () => number;
  readonly #clock: SweepClock;
  readonly #syncs = new SharedSync();
  /** By folder name. */
  readonly #sessions = new Map<string, SessionIndex>();
  /** Folders whose own name is known to be on the disk. */
  readonly #durable = new Set<string>();
  #broken: string | null = null;

  constructor(options: ArtifactStoreOptions = {}) {
    this.base = openStoreFolder(options.base ?? defaultStoreDir());
    this.#now = options.now ?? Date.now;
    const uptime = options.uptime ?? options.now ?? (() => machineUptime() * 1000);
    this.#clock = new SweepClock(this.base, { now: this.#now, uptime, newestWrite: () => this.#newestWrite() });
    this.#clock.hold(false);
  }

  /** Stores an output and returns its reference. Never throws: where nothing could be written, retrieve() finds nothing. */
  async store(session_id: string, content: string, tool_name: string, ttl_s: number | null = DEFAULT_TTL_S) {
    return (await this.storeOutcome(session_id, content, tool_name, ttl_s)).ref;
  }

  /** The same, and whether the bytes are on the disk. `mayCommit` is asked in the step that makes them visible. */
  async storeOutcome(
    session_id: string,
    content: string | Uint8Array,
    tool_name: string,
    ttl_s: number | null = DEFAULT_TTL_S,
    mayCommit: () => boolean = () => true,
  ): Promise<StoreResult> {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    const line = this.#lineOf(bytes, content, { session_id, tool_name, ttl_s });
    try {
      if (this.#broken !== null) throw new Error(this.#broken);
      if (Number.isNaN(ttl_s)) throw new Error("its time to live is not a number");
      const index = this.#open(session_id, true)!;
      const id = freeArtifactId(line.hash, (taken) => index.isTaken(taken, line.hash));
      const named = { ...line, artifact: { ...line.artifact, id, path: `${id}.txt` } };
      const temporary = await writeTemporary(index.folder, bytes);
      try {
        if (!mayCommit()) throw new Error("the turn was closed");
        // The line first: whoever sweeps this content meanwhile either sees it, or has moved the file before it is renamed.
        const ref = index.add(named);
        this.#rename(temporary, ref, index);
        await this.#synced(index.folder);
        return { status: "stored", ref };
      } finally {
        rmSync(temporary, { force: true });
      }
    } catch (error) {
      const ref = new SessionIndex(join(this.base, sessionFolderName(session_id)), this.#now).refOf(line);
      return { status: "failed", ref, reason: reasonOf(error) };
    }
  }

  /** The content, or null: unknown, expired, removed, or not the bytes that were stored. */
  async retrieve(artifact_id: string, session_id?: string): Promise<string | null> {
    const found = this.#find(artifact_id, session_id);
    if (found === null || found.ref.is_expired || found.index.isRemoved(found.ref)) return null;
    const bytes = await readChecked(found.ref.file_path, found.ref.digest);
    if (bytes === null) return null;
    if (bytes.length > constants.MAX_STRING_LENGTH)
      fail(
        "too_large",
        `${artifact_id} has ${bytes.length} bytes, too many for one string. Read ${found.ref.file_path} in pieces.`,
      );
    return bytes.toString("utf8");
  }

  /** The reference without reading the file. One that is expired is returned too: it says so, and what was there. */
  get_ref(artifact_id: string, session_id?: string): ArtifactRef | null {
    return this.#find(artifact_id, session_id)?.ref ?? null;
  }

  /** Removes a session's artifacts, index and files. Returns how many artifacts there were. */
  cleanup_session(session_id: string): number {
    return this.cleanupSession(session_id).removed;
  }

  /** The same, and how many files nobody had a reference to. */
  cleanupSession(session_id: string): { readonly removed: number; readonly orphans: number } {
    const index = this.#open(session_id, false);
    if (index === null) return { removed: 0, orphans: 0 };
    const present = index.present();
    const known = new Set([...present.map((ref) => `${ref.artifact_id}.txt`), REGISTRY]);
    const orphans = readdirSync(index.folder).filter((name) => !known.has(name)).length;
    rmSync(index.folder, { recursive: true, force: true });
    this.#sessions.delete(index.folder);
    this.#durable.delete(index.folder);
    return { removed: present.length, orphans };
  }

  /**
   * Deletes what is past its time; references stay as tombstones. Returns how many expired. Nothing does while the clock
   * is not believed (see sweepHold), unless `trustClock` confirms it.
   */
  cleanup_expired({ trustClock = false }: { readonly trustClock?: boolean } = {}): number {
    if (this.#clock.hold(trustClock) !== null) return 0;
    let count = 0;
    for (const index of this.#all()) {
      for (const ref of index.present().filter((ref) => ref.is_expired)) {
        this.#deleteUnlessNeeded(ref, index);
        index.remove(ref);
        count++;
      }
      this.#deleteLeftovers(index.folder);
    }
    return count;
  }

  /** Why a sweep deletes nothing now: the clock went on by more than the machine ran. Null when it may delete. */
  sweepHold(): string | null {
    return this.#clock.hold(false);
  }

  stats(): StoreStats {
    const refs = this.#all().flatMap((index) => index.present());
    const contents = new Map(refs.map((ref) => [ref.file_path, ref.size_bytes]));
    return {
      artifact_count: refs.length,
      total_bytes: [...contents.values()].reduce((sum, size) => sum + size, 0),
      logical_bytes: refs.reduce((sum, ref) => sum + ref.size_bytes, 0),
    };
  }

  /** Lines of the registries that could not be read, with file and line: each costs one artifact, and no other. */
  problems(): readonly BadLine[] {
    return this.#all().flatMap((index) => index.bad);
  }

  #lineOf(
    bytes: Uint8Array,
    content: string | Uint8Array,
    of: { readonly session_id: string; readonly tool_name: string; readonly ttl_s: number | null },
  ): StoredLine {
    const digest = hash("sha256", bytes, "hex");
    const id = freeArtifactId(digest, () => false);
    const head = typeof content === "string" ? content : Buffer.from(content.subarray(0, 4096)).toString("utf8");
    return {
      v: 1,
      hash: digest,
      artifact: {
        id,
        uuid: randomUUID(),
        type: "tool-result",
        toolName: String(of.tool_name),
        createdAt: new Date(this.#now()).toISOString(),
        ttlSeconds: of.ttl_s,
        sizeBytes: bytes.length,
        summary: summaryOf(head),
        path: `${id}.txt`,
      },
      sessionId: String(of.session_id),
    };
  }

  #rename(temporary: string, ref: ArtifactRef, index: SessionIndex): void {
    try {
      renameSync(temporary, ref.file_path);
    } catch (error) {
      index.remove(ref);
      throw error;
    }
  }

  /** After a failed fsync nobody knows what is on the disk: nothing more is stored until the store is opened again. */
  async #synced(folder: string): Promise<void> {
    try {
      await Promise.all([this.#syncs.sync(join(folder, REGISTRY), "r+"), this.#syncs.sync(folder, "r")]);
      if (this.#durable.has(folder)) return;
      await this.#syncs.sync(this.base, "r");
      this.#durable.add(folder);
    } catch (error) {
      // The session was cleaned up meanwhile: this artifact is gone with it, and the disk is as it was.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        this.#broken = `the store is read-only after a failed sync (${reasonOf(error)})`;
      throw error;
    }
  }

  #find(query: string, session_id: string | undefined): { ref: ArtifactRef; index: SessionIndex } | null {
    if (session_id === undefined)
      // What is known already costs no look at the disk; what is not, or is gone, may have been stored by another process.
      for (const index of this.#sessions.values()) {
        const ref = index.find(query);
        if (ref !== null && !ref.is_expired && !index.isRemoved(ref)) return { ref, index };
      }
    const indexes = session_id === undefined ? this.#all() : [this.#open(session_id, false)];
    let found: { ref: ArtifactRef; index: SessionIndex } | null = null;
    for (const index of indexes) {
      const ref = index?.find(query) ?? null;
      if (ref === null || index === null) continue;
      const lives = !ref.is_expired && !index.isRemoved(ref);
      if (lives) return { ref, index };
      found ??= { ref, index };
    }
    return found;
  }

  #open(session_id: string, make: boolean): SessionIndex | null {
    const folder = sessionFolder(this.base, session_id, make);
    return folder === null ? null : this.#indexOf(folder);
  }

  #all(): SessionIndex[] {
    return readdirSync(this.base, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isSessionFolderName(entry.name))
      .map((entry) => this.#indexOf(join(this.base, entry.name)));
  }

  #indexOf(folder: string): SessionIndex {
    const index = this.#sessions.get(folder) ?? new SessionIndex(folder, this.#now);
    this.#sessions.set(folder, index);
    return index.refresh();
  }

  #deleteUnlessNeeded(ref: ArtifactRef, index: SessionIndex): void {
    if (index.living(ref.artifact_id).length > 0) return;
    const aside = `${ref.file_path}.${TEMPORARY}`;
    try {
      renameSync(ref.file_path, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    // Another process may have stored the same content since the first look.
    if (index.refresh().living(ref.artifact_id).length > 0) renameSync(aside, ref.file_path);
    else rmSync(aside, { force: true });
  }

  /** Of a store that never noted a time: when something was last stored (milliseconds). */
  #newestWrite(): number | null {
    const times = this.#all().flatMap((index) => index.present().map((ref) => ref.created_at * 1000));
    return times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b));
  }

  /** What a crash left half written: an hour is longer than any writing takes. */
  #deleteLeftovers(folder: string): void {
    for (const name of readdirSync(folder)) {
      if (!name.includes(TEMPORARY)) continue;
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      if (found !== undefined && this.#now() - found.mtimeMs > 3_600_000) rmSync(join(folder, name), { force: true });
    }
  }
}
