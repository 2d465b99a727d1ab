import { sentRequestOf } from "#lib/archive/memory/sent-request.ts";
import { fail } from "#lib/kernel/errors.ts";
import { reading } from "./open-archive.ts";
import { printJson } from "./print.ts";
import { numberOption, WrongWords, type Run } from "./args.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const call = numberOption(words, "call", 0);
    if (call === 0) throw new WrongWords("Give the call: --call 12. plimsoll load lists them.");
    const answer = sentRequestOf(archive, words.args[0]!, { call });
    if (words.options["json"] === true) return printJson(answer);
    if (answer.body === null)
      fail("not_found", `The request of call ${call} cannot be shown. ${answer.why ?? ""}`.trim());
    printJson(answer.body);
    console.error(
      `${answer.messages.proven} of ${answer.messages.count} messages proved. ${answer.notInFile ?? ""}`.trim(),
    );
  });
