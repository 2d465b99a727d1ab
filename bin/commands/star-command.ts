import type { Run } from "./args.ts";
import { eventOption, printMarks, setMarkBy } from "./set-mark.ts";

export const run: Run = async (words) => {
  const on = words.options["remove"] !== true;
  printMarks(words, await setMarkBy(words, words.args[0]!, { kind: "star", on, seq: eventOption(words) }));
};
