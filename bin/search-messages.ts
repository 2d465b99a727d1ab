// What the server and its thread for searches say to each other.
import type { Refused } from "./refused-error.ts";

export type ToSearcher =
  | { type: "search"; id: number; name: string; request: object }
  /** Nobody waits for it any more. */
  | { type: "cancel"; id: number };

export type FromSearcher = { id: number; answer: unknown } | { id: number; refused: Refused };
