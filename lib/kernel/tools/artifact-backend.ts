// Where the executor keeps an output that is too large for the context: a session's memory, a folder, a running
// Plimsoll. A backend never throws into the agent's loop: it stored the bytes, or it says why not.
import type { ContentFacts } from "../artifacts/scan.ts";

export type OutputToStore = {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** `<tool>_<call id>`. Data: it is looked up, and never part of a path. */
  readonly name: string;
  readonly toolName: string;
  readonly callId: string;
  readonly facts: ContentFacts;
  readonly previewChars: number;
  /** Seconds until it expires; null: as long as the session. */
  readonly ttlSeconds: number | null;
};

export type StoreOutcome =
  | {
      readonly status: "stored";
      readonly artifactId: string;
      readonly pointer: string;
      readonly path: string | null;
      readonly createdAt: string;
      readonly expiresAt: string | null;
    }
  | { readonly status: "failed"; readonly reason: string };

export type ArtifactBackend = {
  /**
   * Stores an output. `mayCommit` is asked in the same breath as the bytes become visible: when it says no, the turn was
   * closed meanwhile, and nothing of the output may remain.
   */
  store(output: OutputToStore, mayCommit: () => boolean): StoreOutcome | Promise<StoreOutcome>;
};
