// Differences between Plimsoll and the wire that were found and are left, each with its reason. They are told, and do not fail a
// run; one that is not there any more is to be taken off. docs/wire.md has the same list in words.
import type { Compared } from "./compare-scenario.ts";
import type { Check } from "./compare-run.ts";

type Left = { readonly scenario: RegExp; readonly check: string; readonly problem: RegExp; readonly because: string };

export const LEFT: readonly Left[] = [
  {
    scenario: /^(auto|manual|carry-on)-compaction$/,
    check: "calls",
    problem: /^answered requests that no call shows: (\d+ \(aside\)(, )?)+$/,
    because: "the answer to a compaction's own request is in no record; its cost is told beside the calls",
  },
  {
    scenario: /^(auto|manual|carry-on)-compaction$/,
    check: "requests",
    problem: /^request \d+ \(aside\) the request: sent whole, shown nothing$/,
    because: "Claude Code writes no record of a compaction's own request, and its prompt is nowhere in the file",
  },
  {
    scenario: /^plan-mode$/,
    check: "parameters",
    problem: / safeguards: sent .* shown nothing$/,
    because: "the file's `params` have no `safeguards`",
  },
  {
    scenario: /^codex-/,
    check: "instructions",
    problem:
      /^request \d+ \(\w+\) instructions\.text at character \d+: .*, shown ".*If you create a checklist or task list/,
    because: "Codex leaves a line of the `base_instructions` in its file out where its plan tool is not offered",
  },
  {
    scenario: /^codex-(compact(ion|-prompt)|carry-on-compaction)$/,
    check: "requests",
    problem:
      /^request \d+ \(aside\) items\[\d+\]: sent \{"role":"user","text":"(You are performing a CONTEXT CHECKPOINT COMPACTION|Summarize for another model)/,
    because: "the rollout does not hold the prompt of a compaction",
  },
  {
    scenario: /^codex-large-output$/,
    check: "outputs",
    problem: /^exec_command .* wrote 338894 bytes, 65536 bytes are shown$/,
    because: "Codex writes 65,536 bytes of a command's output down",
  },
  {
    scenario: /^pi-(compaction|branch-summary|carry-on-compaction)$/,
    check: "calls",
    problem: /^answered requests that no call shows: (\d+ \(aside\)(, )?)+$/,
    because: "pi writes the summary down, and not the answer that it came in",
  },
  {
    scenario: /^pi-(compaction|branch-summary|carry-on-compaction)$/,
    check: "spend",
    problem: /^differs by \$0\.\d+$/,
    because: "what the call for a summary cost stands nowhere in pi's file",
  },
  {
    scenario: /^qwen-/,
    check: "requests",
    problem: /^request \d+ \(aside\) items/,
    because: "Qwen Code writes neither the prompt of a compaction down nor what it asks to remember a session",
  },
  {
    scenario: /^copilot-((auto-)?compaction|carry-on)$/,
    check: "requests",
    problem: /^request \d+ \(aside\) items\[\d+\]/,
    because: "Copilot's file does not hold the prompt of a compaction",
  },
  {
    scenario: /^gemini-carry-on$/,
    check: "calls",
    problem: /^answered requests that no call shows: (\d+ \(aside\)(, )?)+$/,
    because: "Gemini CLI writes the summary of a compaction down, and not the answers that it came in",
  },
  {
    scenario: /^gemini-carry-on$/,
    check: "spend",
    problem: /^differs by \$0\.0\d+$/,
    because: "what the calls for a summary cost stands nowhere in Gemini CLI's file",
  },
  {
    scenario: /^opencode-/,
    check: "calls",
    problem: /^answered requests that no call shows: (\d+ \(side\)(, )?)+$/,
    because: "what OpenCode asks for a title is in no row of its database",
  },
  {
    scenario: /^opencode-/,
    check: "spend",
    problem: /^differs by \$0\.0\d+$/,
    because: "the call for a title is in no row of OpenCode's database",
  },
  {
    scenario: /^opencode-(compaction|carry-on)$/,
    check: "requests",
    problem: /^request \d+ \(aside\) items/,
    because: "OpenCode's database does not hold the prompt of a compaction",
  },
  {
    scenario: /^opencode-large-output$/,
    check: "outputs",
    problem: /^bash .* wrote 338894 bytes, \d+ bytes are shown$/,
    because: "OpenCode now and then ends before its own file of the output is whole",
  },
  {
    scenario: /^copilot-edit$/,
    check: "requests",
    problem: / sent "…_of' does not exist\. Available tools that can be called are/,
    because: "Copilot leaves the list of its tools out of what it writes down of a call to an unknown one",
  },
  {
    scenario: /^own-library-/,
    check: "requests",
    problem: / \(epoch [2-9]\)$/,
    because:
      "a memory folder has traces and items, not the words in which its agent's context says them after a compaction",
  },
];

/** Why a failed check may be so, when each of its problems is known; null where one is new. */
export function excuseOf({ name }: Compared, { name: checked, problems }: Check): string | null {
  const reasons = problems.map(
    (problem) =>
      LEFT.find((left) => left.scenario.test(name) && left.check === checked && left.problem.test(problem))?.because,
  );
  return problems.length === 0 || reasons.includes(undefined) ? null : [...new Set(reasons)].join("; ");
}

/** Differences that were left and were not met in a run of all their scenarios. */
export function mended(compared: readonly Compared[]): string[] {
  return LEFT.flatMap(({ scenario, check, problem, because }) => {
    const ran = compared.filter(({ name }) => scenario.test(name));
    const isMet = ran.some(({ checks }) =>
      checks.some((one) => one.name === check && one.problems.some((text) => problem.test(text))),
    );
    return ran.length === 0 || isMet ? [] : [`${scenario.source} ${check}: ${because}`];
  });
}
