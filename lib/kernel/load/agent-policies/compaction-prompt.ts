// What to tell the agent when it compacts: the files of this session, by name, in the words that the agent accepts.
import type { Culprit } from "../culprits/culprit-types.ts";
import { capsOf, inProject, namesOf } from "./instruction-lines.ts";
import { effectOf } from "./policy-effect.ts";
import { namesText } from "./policy-text.ts";
import type { AgentPolicy, PoliciesInput } from "./agent-policy-types.ts";

type Form = { readonly where: string; readonly text: (keep: string) => string; readonly note: string | null };

const typed: Form = {
  where: "typed in the session",
  text: (keep) => `/compact ${keep.replaceAll("\n", " ")}`,
  note: null,
};

const FORMS: Readonly<Record<string, Form>> = {
  "claude-code": typed,
  pi: typed,
  codex: {
    where: "~/.codex/config.toml",
    text: (keep) =>
      `compact_prompt = """\nSummarize the conversation so that another model can go on with the work.\n${tomlText(keep)}\n"""`,
    note: "It replaces the whole prompt with which Codex compacts.",
  },
};

export function compactionPolicy(input: PoliciesInput): AgentPolicy | null {
  const form = FORMS[input.format];
  if (form === undefined || !input.isFull) return null;
  const again = input.culprits.filter(isReadAgain);
  const caps = new Map(again.flatMap(capsOf));
  const effect = caps.size === 0 ? null : effectOf(input, { caps });
  const notes = [form.note, effect === null ? NO_FIGURE : "Assumes that a better summary spares these reads."];
  return {
    id: "compaction-prompt",
    kind: "compaction",
    title: "Say what a compaction must keep",
    where: form.where,
    text: form.text(keepText(input, again)),
    reason: again.length > 0 ? `${again.map(({ label }) => label).join(", ")}.` : "The context came to its line.",
    note: notes.filter((note) => note !== null).join(" "),
    seqs: [...new Set(again.flatMap(({ seqs }) => [...seqs]))],
    effect,
  };
}

const NO_FIGURE = "The replay keeps the agent's own summary, so it cannot measure another.";

const isReadAgain = ({ detector, cure }: Culprit): boolean => detector === "compaction-thrash" && cure.do === "trim";

function keepText(input: PoliciesInput, again: readonly Culprit[]): string {
  const changed = [...input.facts.values()].flatMap(({ writes, path, patches }) => [
    ...(writes && path !== null ? [path] : []),
    ...patches,
  ]);
  return [
    "Keep the goal, every constraint of the user, open items, and the last failing command with its error.",
    ...(changed.length > 0
      ? [`Keep what was changed in ${namesText(changed.toReversed().map(inProject(input)))}.`]
      : []),
    ...(again.length > 0 ? [`Keep the facts needed from ${namesText(namesOf(input, again))}.`] : []),
  ].join("\n");
}

/** Inside a TOML string of several lines. */
const tomlText = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
