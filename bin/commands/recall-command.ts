import { recall, takeRecalls } from "#lib/archive/memory/recall-session.ts";
import type { RecallAnswer } from "#lib/wire/recall-schema.ts";
import { saveRecalls } from "./artifact-questions.ts";
import { reading } from "./open-archive.ts";
import { plain, printJson } from "./print.ts";
import { numberOption, seqOption, textOption, WrongWords, type Run } from "./args.ts";

export const run: Run = async (words) => {
  const query = textOption(words, "query")?.trim() ?? "";
  if (query === "") throw new WrongWords("plimsoll recall needs --query TEXT.");
  const at = seqOption(words, "at");
  const k = numberOption(words, "k", 8);
  if (k < 1 || k > 100) throw new WrongWords("--k takes a number from 1 to 100.");
  const { answer, recalls } = await reading(words, async (archive) => ({
    answer: await recall(archive, words.args[0]!, { query, k, ...(at !== undefined && { at }) }),
    recalls: takeRecalls(archive),
  }));
  if (words.options["json"] === true) printJson(answer);
  else print(answer);
  await saveRecalls(words, recalls);
};

function print({ items, text, omitted }: RecallAnswer): void {
  if (items.length === 0) console.log("No match in this session.");
  else console.log(plain(text));
  if (omitted > 0) console.log(`${omitted} more left out (raise --k)`);
}
