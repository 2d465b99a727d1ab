import { runTool } from "#lib/tools/run-tool.ts";
import { asking, askerOf } from "./asking.ts";
import type { Command } from "./words.ts";

export const grep: Command = {
  name: "grep",
  args: ["REF", "PATTERN", "[OPTION…]"],
  options: { session: "text" },
  passes: true,
  about:
    "lines of an artifact that match: -i -v -n -c -w -x -o -F -E, -A N -B N -C N -m N; a pattern with a dash after --",
  run: (words) => {
    const [artifact_id, pattern, ...grep_options] = words.args;
    const input = { artifact_id, pattern, ...(grep_options.length > 0 && { grep_options }) };
    return asking(words, (archive) => runTool(archive, "artifact_grep", input, askerOf(words)));
  },
};
