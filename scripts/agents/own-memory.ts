// What an agent of ours needs of its memory, through either door.
import type { Assembled, ModelAnswer, OwnCall } from "./own-types.ts";

export type OwnMemory = {
  /** Takes the last compaction back. */
  undo(): Promise<void>;
  begin(says: string, withImage: boolean): Promise<void>;
  next(): Promise<Omit<Assembled, "turn">>;
  answered(answer: ModelAnswer): Promise<void>;
  /** Runs the calls of one answer at once, and takes their results in. */
  run(calls: readonly OwnCall[]): Promise<void>;
  close(): void;
};

/** Of every agent here. */
export const OWN_SYSTEM = "You keep the harbour's books. Answer briefly.";
