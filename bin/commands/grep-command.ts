import { runTool } from "#lib/tools/run-tool.ts";
import { asking, askerOf } from "./artifact-questions.ts";
import type { Run } from "./args.ts";

export const run: Run = (words) => {
  const [artifact_id, pattern, ...grep_options] = words.args;
  const input = { artifact_id, pattern, ...(grep_options.length > 0 && { grep_options }) };
  return asking(words, (archive) => runTool(archive, "artifact_grep", input, askerOf(words)));
};
