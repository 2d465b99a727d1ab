import { runTool } from "#lib/tools/run-tool.ts";
import { asking, askerOf } from "./artifact-questions.ts";
import { numberOption, type Run } from "./args.ts";

export const run: Run = (words) => {
  const option = (name: string): number | undefined =>
    words.options[name] === undefined ? undefined : numberOption(words, name, 0);
  const input = {
    artifact_id: words.args[0]!,
    start_line: option("from"),
    end_line: option("to"),
    start_char: option("char"),
    max_chars: option("chars"),
    ...(words.options["base64"] === true && { encoding: "base64" }),
  };
  // What was not said is not asked.
  const said = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return asking(words, (archive) => runTool(archive, "artifact_read", said, askerOf(words)), true);
};
