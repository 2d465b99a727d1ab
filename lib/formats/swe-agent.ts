// Trajectories of SWE-agent, 0.x and 1.x: one JSON document a task, with what the agent thought, did and saw at each step, and the
// messages that its model was sent. docs/formats/swe-agent.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { hasWholeLine, headValue } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";
import { isSweTrajectory, startSwe, sweNames, swePieces, type SweState } from "./swe-agent/swe-document.ts";

export const sweAgent: Format<SweState> = {
  id: "swe-agent",
  label: "SWE-agent",
  signs: "a trajectory of steps with actions, or a history of such",
  // 3: a block that is not known is an event.
  // 4: costs that stand as texts.
  // 5: a record without content begins no turn.
  // 6: OpenAI's tiers are part of a call's model; steps that no model answered, and answers that were refused.
  version: 6,
  reader: "lines",
  // Data sets have a trajectory a line.
  isDocument: ({ head }) => !hasWholeLine(head),
  recordNames: sweNames,
  sources: () => [],
  wants: (path) => /\.traj$/.test(path),
  detect: ({ head }) => isSweTrajectory(headValue(head)),
  start: startSwe,
  parse: (record, state) => joined(swePieces(record, state)),
  pieces: swePieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};
