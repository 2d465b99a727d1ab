import { runJq } from "#lib/tools/artifact-jq.ts";
import { answered, contextOf } from "#lib/tools/run-tool.ts";
import { asking, askerOf } from "./asking.ts";
import type { Command } from "./words.ts";

export const jq: Command = {
  name: "jq",
  args: ["REF", "PROGRAM"],
  options: { raw: "flag", slurp: "flag", long: "flag", session: "text" },
  letters: { raw: "r", slurp: "s" },
  about:
    "a jq 1.8 program over a JSON artifact; -r strings without quotes, -s all values as one array, --long up to a minute",
  run: (words) => {
    const [ref, program] = words.args as [string, string];
    const ask = { program, rawOutput: words.options["raw"] === true, slurp: words.options["slurp"] === true };
    return asking(words, async (archive) => {
      const asker = { ...askerOf(words), ...(words.options["long"] === true && { patience: "long" as const }) };
      return answered(archive, asker, "artifact_jq", ask, await runJq(contextOf(archive, asker), ref, ask));
    });
  },
};
