// A storing of an output in a folder: where it is, how long it lives, and what the model is told about it.
import { envelopeOf } from "#lib/kernel/artifacts/envelope.ts";

export type ArtifactRefFields = {
  readonly artifact_id: string;
  readonly session_id: string;
  readonly file_path: string;
  readonly created_at: number;
  readonly ttl_s: number | null;
  readonly size_bytes: number;
  readonly tool_name: string;
  readonly summary: string;
  readonly pointer: string;
  readonly digest: string;
};

export class ArtifactRef implements ArtifactRefFields {
  /** `art_` and the first 16 hex digits of the content's sha-256. */
  readonly artifact_id: string;
  readonly session_id: string;
  /** Absolute. */
  readonly file_path: string;
  /** Seconds since 1970, with a fraction. */
  readonly created_at: number;
  /** Seconds that it lives; null: until its session is cleaned up. */
  readonly ttl_s: number | null;
  readonly size_bytes: number;
  readonly tool_name: string;
  /** The first 200 characters on one line. */
  readonly summary: string;
  /** `art:<uuid>`: this storing, where artifact_id is the content. */
  readonly pointer: string;
  readonly digest: string;
  readonly #now: () => number;

  constructor(fields: ArtifactRefFields, now: () => number) {
    this.artifact_id = fields.artifact_id;
    this.session_id = fields.session_id;
    this.file_path = fields.file_path;
    this.created_at = fields.created_at;
    this.ttl_s = fields.ttl_s;
    this.size_bytes = fields.size_bytes;
    this.tool_name = fields.tool_name;
    this.summary = fields.summary;
    this.pointer = fields.pointer;
    this.digest = fields.digest;
    this.#now = now;
  }

  /** Milliseconds since 1970, or null. */
  get expiresAt(): number | null {
    return this.ttl_s === null ? null : Math.round((this.created_at + this.ttl_s) * 1000);
  }

  /** From the moment at which its time is over. */
  get is_expired(): boolean {
    return this.expiresAt !== null && this.#now() >= this.expiresAt;
  }

  /** The message that stands in the context for the output; it names the path, or read_file could not be called. */
  to_model_hint(): Record<string, unknown> {
    const { expiresAt } = this;
    const envelope = envelopeOf(
      {
        artifactId: this.artifact_id,
        pointer: this.pointer,
        toolName: this.tool_name,
        name: null,
        contentType: "text/plain",
        sizeBytes: this.size_bytes,
        lineCount: null,
        shape: "string",
        preview: this.summary,
        summary: this.summary,
        tail: "",
        isError: false,
        availableTools: ["read_file"],
        path: this.file_path,
        createdAt: new Date(this.created_at * 1000).toISOString(),
        expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      },
      "secondbrain",
    );
    return JSON.parse(envelope) as Record<string, unknown>;
  }
}
