// Texts to copy, each with what it would have changed in this session.
import { policiesOf } from "#lib/archive/load/session-policies.ts";
import type { AgentPolicyRow } from "#lib/wire/agent-policies-schema.ts";
import { effectText } from "#lib/wire/policy-effect-text.ts";
import type { Run } from "./args.ts";
import { reading } from "./open-archive.ts";
import { plain, printJson } from "./print.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const answer = await policiesOf(archive, words.args[0]!, { counted: true });
    if (words.options["json"] === true) return printJson(answer);
    if (answer.policies.length === 0) return console.log("No setting would have changed this session.");
    console.log(answer.policies.map(policyText).join("\n\n"));
    console.log(`\nEach effect is of that policy alone. Upper bound, ${answer.label}.`);
  });

function policyText({ title, where, text, reason, note, effect }: AgentPolicyRow): string {
  return [
    `${title} (${where})`,
    `  ${effectText(effect)}`,
    `  ${plain(reason)}${note === null ? "" : ` ${note}`}`,
    ...text.split("\n").map((line) => `    ${plain(line)}`),
  ].join("\n");
}
