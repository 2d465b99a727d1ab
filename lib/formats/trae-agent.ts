// Trajectories of Trae Agent, the open agent for the command line: one JSON document a task, written anew at each step.
// docs/formats/trae-agent.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { headValue } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";
import {
  isTraeTrajectory,
  traeRequestNames,
  startTrae,
  trajectoryPieces,
  type TraeState,
} from "./trae-agent/trajectory-document.ts";

export const traeAgent: Format<TraeState> = {
  id: "trae-agent",
  label: "Trae Agent",
  signs: "a task with llm_interactions and agent_steps",
  version: 1,
  reader: "document",
  recordNames: traeRequestNames,
  // They lie in the folder that each run was started in.
  sources: () => [],
  wants: (path) => /(?:^|[\\/])trajectory_\d{8}_\d{6}\.json$/.test(path),
  detect: ({ head }) => isTraeTrajectory(headValue(head)),
  start: startTrae,
  parse: (record) => joined(trajectoryPieces(record)),
  pieces: trajectoryPieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};
