// Trajectories of mini-SWE-agent: a list of messages, in version 1 alone, later in a document with what the run was and cost.
// docs/formats/swe-agent.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { hasWholeLine, headValue } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";
import { miniPieces, isMiniTrajectory, miniNames, startMini, type MiniState } from "./swe-agent/mini-document.ts";

export const miniSweAgent: Format<MiniState> = {
  id: "mini-swe-agent",
  label: "mini-SWE-agent",
  signs: "messages with commands, or trajectory_format mini-swe-agent",
  // 3: counts that stand as texts of digits.
  // 4: costs that stand as texts.
  // 5: answers in a wrong format are calls; responses that are the message have their model and usage.
  // 6: OpenAI's ultrafast tier is part of a call's model.
  // 7: an empty message behind a command is its result.
  version: 7,
  reader: "lines",
  isDocument: ({ head }) => !hasWholeLine(head),
  recordNames: miniNames,
  sources: () => [],
  wants: (path) => /\.traj\.json$/.test(path),
  detect: ({ head }) => isMiniTrajectory(headValue(head)),
  start: startMini,
  parse: (record, state) => joined(miniPieces(record, state)),
  pieces: miniPieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};
