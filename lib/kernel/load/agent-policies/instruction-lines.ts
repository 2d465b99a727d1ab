// Lines for CLAUDE.md or AGENTS.md, one for each kind of culprit that the agent itself could have avoided.
import { outputsOf } from "../culprits/outputs.ts";
import type { Culprit, DetectorId } from "../culprits/culprit-types.ts";
import { effectOf } from "./policy-effect.ts";
import { counted, namesText } from "./policy-text.ts";
import type { AgentPolicy, PoliciesInput } from "./agent-policy-types.ts";

type Line = {
  readonly id: string;
  readonly detector: DetectorId;
  readonly title: string;
  readonly text: (names: string) => string;
};

const LINES: readonly Line[] = [
  {
    id: "read-parts",
    detector: "oversized-output",
    title: "Read parts, not whole files",
    text: (names) =>
      `- Search large files and long outputs for the lines you need. Read only those. Large here: ${names}.`,
  },
  {
    id: "read-once",
    detector: "re-read",
    title: "Read unchanged files once",
    text: (names) => `- Do not read a file again while its content is in the conversation and unchanged: ${names}.`,
  },
  {
    id: "fewer-at-once",
    detector: "fan-out",
    title: "Ask for fewer outputs at once",
    text: (names) => `- Run such calls in small groups and look at each result first: ${names}.`,
  },
  {
    id: "stop-retrying",
    detector: "retry-loop",
    title: "Stop after two failures",
    text: (names) => `- After the same command fails twice, find the cause before you run it again: ${names}.`,
  },
];

/** Codex, pi and most others read AGENTS.md. */
export const instructionsFile = (format: string): string =>
  format === "claude-code" ? "CLAUDE.md" : format === "gemini" ? "GEMINI.md" : "AGENTS.md";

export const instructionPolicies = (input: PoliciesInput): AgentPolicy[] =>
  LINES.flatMap((line) => {
    const culprits = input.culprits.filter(({ detector }) => detector === line.detector);
    if (culprits.length === 0) return [];
    const caps = new Map(culprits.flatMap(capsOf));
    const seqs = [...new Set(culprits.flatMap((culprit) => [...culprit.seqs]))];
    return [
      {
        id: line.id,
        kind: "instructions" as const,
        title: line.title,
        where: instructionsFile(input.format),
        text: line.text(namesText(namesOf(input, culprits))),
        reason: `${counted(culprits.length, "culprit")} of this session, ${counted(seqs.length, "event")}.`,
        note: "Assumes that the agent follows the line each time.",
        seqs,
        effect: caps.size === 0 ? null : effectOf(input, { caps }),
      },
    ];
  });

/** What a culprit's cure would leave of each event. A cure that takes events out later leaves no figure here. */
export function capsOf({ cure }: Pick<Culprit, "cure">): [seq: number, tokens: number][] {
  switch (cure.do) {
    case "shrink":
      return cure.seqs.map((seq) => [seq, cure.keep]);
    case "trim":
      return cure.seqs.map((seq, i) => [seq, cure.keep[i]!]);
    case "omit":
      return cure.seqs.map((seq) => [seq, 0]);
    case "drop":
    case "prefix":
    case "keep-cache":
      return [];
  }
}

/** Paths as the agent's file would name them: from the project's folder. */
export const inProject =
  ({ cwd }: PoliciesInput) =>
  (name: string): string =>
    cwd !== null && name.startsWith(`${cwd}/`) ? name.slice(cwd.length + 1) : name;

/** The file, else the command, else what the event is called; the largest culprit first. */
export function namesOf(input: PoliciesInput, culprits: readonly Culprit[]): string[] {
  const outputs = new Map(outputsOf(input).map((output) => [output.seq, output]));
  return culprits.flatMap(({ seqs, label }) => {
    const names = seqs
      .flatMap((seq) => outputs.get(seq)?.path ?? outputs.get(seq)?.command ?? [])
      .map(inProject(input));
    return names.length > 0 ? names : [label];
  });
}
