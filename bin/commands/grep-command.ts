import { runTool } from "#lib/tools/run-tool.ts";
import { asking, askerOf } from "./artifact-questions.ts";
import { textsOption, WrongWords, type Run } from "./args.ts";

export const run: Run = async (words) => {
  // What searches many builds queries, which takes 0.3 s to load.
  if (words.options["all"] === true || textsOption(words, "in").length > 0)
    return (await import("./grep-many.ts")).grepMany(words);
  const [artifact_id, pattern, ...grep_options] = words.args;
  if (pattern === undefined)
    throw new WrongWords("plimsoll grep needs REF and PATTERN, or PATTERN with --in or --all.");
  const input = { artifact_id, pattern, ...(grep_options.length > 0 && { grep_options }) };
  return asking(words, (archive) => runTool(archive, "artifact_grep", input, askerOf(words)));
};
