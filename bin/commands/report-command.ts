// A report of a session for somebody without Plimsoll: the same as `export --as html` and `--as report-markdown`.
import { WrongWords, type Run } from "./args.ts";
import { exportFile } from "./export-command.ts";

export const run: Run = (words) => {
  const { html, markdown } = words.options;
  if (html === true && markdown === true)
    throw new WrongWords("--html and --markdown were both given. Give one of them.");
  return exportFile(words, markdown === true ? "report-markdown" : "html");
};
