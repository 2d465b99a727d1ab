// Every write that a door may ask for, by name. Each is a function of the open batch: it adds rows and registry lines, and
// the barrier comes after it. A name travels to the thread that writes, so what it takes and answers can be cloned.
import { addArtifact } from "./artifacts/add-artifact.ts";
import { addOutput } from "./artifacts/add-output.ts";
import { addHeldSession } from "./artifacts/held-session.ts";
import { addClosedTurn } from "./artifacts/turns.ts";

export const WRITES = {
  createSession: addHeldSession,
  addArtifact,
  addOutput,
  closeTurn: addClosedTurn,
} as const;

export type WriteName = keyof typeof WRITES;
