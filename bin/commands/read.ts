import { runTool } from "#lib/tools/run-tool.ts";
import { asking, askerOf } from "./asking.ts";
import { numberOption, type Command } from "./words.ts";

export const read: Command = {
  name: "read",
  args: ["REF"],
  options: { from: "text", to: "text", char: "text", chars: "text", base64: "flag", session: "text" },
  about:
    "an artifact as an agent reads it: whole, or lines --from --to, or --chars of a long line from --char on; with --session as that session sees it",
  run: (words) => {
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
  },
};
