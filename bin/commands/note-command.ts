import { listMarks } from "#lib/archive/settings/marks.ts";
import { WrongWords, type Run } from "./args.ts";
import { reading } from "./open-archive.ts";
import { eventOption, printMarks, setMarkBy } from "./set-mark.ts";

export const run: Run = async (words) => {
  const [session, ...text] = words.args;
  const value = text.join(" ").trim();
  const isGone = words.options["remove"] === true;
  if (!isGone && value === "")
    return printMarks(words, await reading(words, async (archive) => listMarks(archive, session!)));
  if (isGone && value !== "") throw new WrongWords("plimsoll note takes a text or --remove, not both.");
  printMarks(words, await setMarkBy(words, session!, { kind: "note", value, seq: eventOption(words) }));
};
