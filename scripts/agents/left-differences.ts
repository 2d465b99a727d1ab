// Differences between Plimsoll and the wire that were found and are left, each with its reason. They are told, and do not fail a
// run; one that is not there any more is to be taken off. docs/wire.md has the same list in words.
import type { Compared } from "./compare-scenario.ts";
import type { Check } from "./compare-run.ts";

type Left = { readonly scenario: RegExp; readonly check: string; readonly problem: RegExp; readonly because: string };

export const LEFT: readonly Left[] = [
  {
    scenario: /^(auto|manual)-compaction$/,
    check: "calls",
    problem: /^answered requests that no call shows: (\d+ \(aside\)(, )?)+$/,
    because: "the answer to a compaction's own request is in no record; its cost is told beside the calls",
  },
  {
    scenario: /^plan-mode$/,
    check: "parameters",
    problem: / safeguards: sent .* shown nothing$/,
    because: "the file's `params` have no `safeguards`",
  },
  {
    scenario: /^codex-/,
    check: "requests",
    problem: / input\[0\]\.role: sent "developer", shown "system"$/,
    because: "the context is rendered with the role `system`",
  },
  {
    scenario: /^codex-large-output$/,
    check: "outputs",
    problem: /^exec_command .* wrote 338894 bytes, 65536 bytes are shown$/,
    because: "Codex writes 65,536 bytes of a command's output down",
  },
  {
    scenario: /^fork$/,
    check: "ledger",
    problem: /^more than 0\.5 %$/,
    because:
      "the copied calls stand before the fork's own shape record: their prefix has no names, and is not taken out again",
  },
];

/** What a failed check is excused by; null where it is new. */
export const excuseOf = ({ name }: Compared, { name: checked, problem }: Check): string | null =>
  problem === null
    ? null
    : (LEFT.find((left) => left.scenario.test(name) && left.check === checked && left.problem.test(problem))?.because ??
      null);

/** Differences that were left and were not met in a run of all their scenarios. */
export function mended(compared: readonly Compared[]): string[] {
  return LEFT.flatMap(({ scenario, check, problem, because }) => {
    const ran = compared.filter(({ name }) => scenario.test(name));
    const isMet = ran.some(({ checks }) =>
      checks.some((one) => one.name === check && one.problem !== null && problem.test(one.problem)),
    );
    return ran.length === 0 || isMet ? [] : [`${scenario.source} ${check}: ${because}`];
  });
}
