import { listMarks } from "#lib/archive/settings/marks.ts";
import { WrongWords, type Run } from "./args.ts";
import { eventOption, printMarks, setMarkBy } from "./set-mark.ts";
import { reading } from "./open-archive.ts";

export const run: Run = async (words) => {
  const [session, ...labels] = words.args;
  const on = words.options["remove"] !== true;
  if (labels.length === 0) {
    if (!on) throw new WrongWords("plimsoll label --remove needs the label.");
    return printMarks(words, await reading(words, async (archive) => listMarks(archive, session!)));
  }
  const seq = eventOption(words);
  let answer = null;
  for (const value of labels) answer = await setMarkBy(words, session!, { kind: "label", value, on, seq });
  printMarks(words, answer!);
};
