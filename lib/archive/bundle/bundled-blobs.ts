// Outputs of a bundle on their way into the blob store, each once, with what their bytes tell of them.
import { command } from "#db/statement.ts";
import { ContentScan, type ContentFacts } from "#lib/kernel/artifacts/scan.ts";
import { CHUNK_BYTES } from "#lib/kernel/artifacts/line-index.ts";
import type { Archive } from "../base/archive-type.ts";
import type { BundleEntry } from "./bundle-manifest.ts";
import { refuse } from "./bundle-rows.ts";
import type { OpenBundle } from "./open-bundle.ts";

export class BlobTaker {
  readonly #archive: Archive;
  readonly #bundle: OpenBundle;
  readonly #onBytes: (bytes: number) => void;
  readonly #entries: ReadonlyMap<string, BundleEntry>;
  readonly #taken = new Set<string>();

  constructor(archive: Archive, bundle: OpenBundle, onBytes: (bytes: number) => void) {
    this.#archive = archive;
    this.#bundle = bundle;
    this.#onBytes = onBytes;
    this.#entries = new Map(bundle.manifest.artifacts.map(({ entry }) => [entry.sha256, entry]));
  }

  has(digest: string): boolean {
    return this.#entries.has(digest);
  }

  /** Stages the bytes; fails when they are not in the bundle, or not those of their name. */
  async stage(digest: string): Promise<ContentFacts | null> {
    if (this.#taken.has(digest)) return null;
    this.#taken.add(digest);
    const entry = this.#entries.get(digest) ?? refuse(`the output ${digest} is not among its artifacts`);
    const scan = new ContentScan();
    const onBytes = this.#onBytes;
    const read = this.#bundle.read(entry);
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of read) {
        scan.add(piece);
        onBytes(piece.length);
        yield piece;
      }
    };
    await this.#archive.blobs.stageStream(pieces(), { expect: digest });
    return scan.end();
  }

  /** Stages the bytes with the row that artifacts name. */
  async add(digest: string, createdAt: number): Promise<void> {
    const facts = await this.stage(digest);
    if (facts === null) return;
    const { sqlite } = this.#archive;
    command(
      sqlite,
      `INSERT INTO blobs (digest, size, line_count, created_at, chars, shape) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (digest) DO UPDATE SET removed_at = NULL, chars = excluded.chars, shape = excluded.shape`,
    ).run(
      digest,
      facts.sizeBytes,
      facts.isText ? facts.lineCount : null,
      createdAt,
      facts.chars,
      JSON.stringify(facts.shape),
    );
    if (facts.isText && facts.sizeBytes > CHUNK_BYTES)
      command(sqlite, "INSERT OR IGNORE INTO blob_lines (digest, line_index) VALUES (?, ?)").run(
        digest,
        facts.index.encode(),
      );
  }
}
