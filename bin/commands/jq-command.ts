import { runJq } from "#lib/tools/artifact-jq.ts";
import { answered, contextOf } from "#lib/tools/run-tool.ts";
import { asking, askerOf } from "./artifact-questions.ts";
import type { Run, Words } from "./args.ts";

export const run: Run = (words) => {
  const [ref, program] = words.args as [string, string];
  const isOn = (name: string): boolean => words.options[name] === true;
  const ask = {
    program,
    rawOutput: isOn("raw"),
    slurp: isOn("slurp"),
    nullInput: isOn("null-input"),
    sortKeys: isOn("sort-keys"),
    compact: isOn("compact") || !isOn("pretty"),
    args: pairsOf(words, "arg"),
    jsonArgs: pairsOf(words, "argjson"),
  };
  return asking(words, async (archive) => {
    const asker = { ...askerOf(words), ...(isOn("long") && { patience: "long" as const }) };
    return answered(archive, asker, "artifact_jq", ask, await runJq(contextOf(archive, asker), ref, ask));
  });
};

function pairsOf(words: Words, name: string): Record<string, string> {
  const said = words.options[name];
  if (!Array.isArray(said)) return {};
  const pairs: Record<string, string> = Object.create(null) as Record<string, string>;
  for (let at = 0; at + 1 < said.length; at += 2) pairs[said[at] as string] = said[at + 1] as string;
  return { ...pairs };
}
