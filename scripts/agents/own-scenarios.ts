// What our own agents are made to do: the same run through both doors and over each wire.
import { hash } from "node:crypto";
import { linesText } from "./known-outputs.ts";
import type { OwnDoor, OwnScenario, OwnTurn, OwnWireId } from "./own-types.ts";
import { NOTES } from "./own-tools.ts";
import type { ScriptedTool, Step } from "./script-types.ts";

const notes: ScriptedTool = { name: "notes", input: {}, writes: NOTES };
const dial: ScriptedTool = { name: "dial", input: { pier: 7 } };
const lines = (count: number): ScriptedTool => ({ name: "lines", input: { count }, writes: linesText(count) });

/** Lines of the output that does not enter a context: some 350 kB. */
const MANY = 12_500;
/** An output has the same id in both doors: it is named by its content. */
const artifactId = `art_${hash("sha256", linesText(MANY), "hex").slice(0, 16)}`;
const READ_BACK: Readonly<Record<OwnDoor, ScriptedTool>> = {
  library: { name: "read_file", input: { path: artifactId, start_line: 12_490 } },
  http: { name: "artifact_read", input: { artifact_id: artifactId, start_line: 12_490, end_line: 12_500 } },
};

type Said = OwnTurn & { readonly steps: readonly Step[] };

const GOAL = "Survey the harbour. Never close pier 4.";
const hello: Said = {
  says: GOAL,
  image: true,
  steps: [
    { thinking: "First the notes.", text: "I read the notes.", tools: [notes, dial, lines(3)] },
    { thinking: "Pier 7 does not answer.", text: "Alpha is noted; pier 7 refused the connection." },
  ],
};
const large = (door: OwnDoor): Said => ({
  says: "Write much, and read its end.",
  steps: [{ tools: [lines(MANY), lines(5)] }, { tools: [READ_BACK[door]] }, { text: "Its last line is 12500." }],
});
const left: Said = { says: "Dial pier 9.", leaves: true, steps: [{ text: "I dial.", tools: [dial, lines(2)] }] };
const fill: Said = { says: "Go on with berth 3.", steps: [{ tools: [lines(150)] }, { text: "Berth 3 is surveyed." }] };
const more: Said = { says: "And berth 4?", steps: [{ tools: [notes] }, { text: "Berth 4 has a loose bollard." }] };
const undone: Said = { says: "Tell me all again.", undoes: true, steps: [{ text: "All of it once more." }] };
const last: Said = {
  says: "And now?",
  steps: [{ thinking: "Done.", tools: [lines(4)] }, { text: "The survey is done." }],
};

const WIRES: readonly (readonly [as: OwnWireId, model: string])[] = [
  ["anthropic", "claude-opus-5-5"],
  ["openai-responses", "gpt-5.5"],
  ["openai-chat", "gpt-5.5"],
  ["gemini", "gpt-5.5"],
];

const DOORS = ["library", "http"] as const;

function scenario(door: OwnDoor, as: OwnWireId, model: string): OwnScenario {
  const turns = [hello, large(door), left, fill, more, undone, last];
  return {
    name: `own-${door}-${as}`,
    door,
    as,
    model,
    isCore: (door === "library" && as === "anthropic") || (door === "http" && as === "openai-responses"),
    turns,
    script: { lanes: { main: turns.flatMap(({ steps }) => steps) } },
    budget: 2200,
    calls: turns.reduce((sum, { steps }) => sum + steps.length, 0),
    compactions: 2,
    keeps: ["Never close pier 4"],
    sends: ["connection refused by pier 7", "line 12500 of a long output", "Alpha is noted", "Berth 3 is surveyed"],
  };
}

export const ownScenarios: readonly OwnScenario[] = DOORS.flatMap((door) =>
  WIRES.map(([as, model]) => scenario(door, as, model)),
);
