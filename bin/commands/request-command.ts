import { sentRequestOf } from "#lib/archive/memory/sent-request.ts";
import { fail } from "#lib/kernel/errors.ts";
import { reading } from "./open-archive.ts";
import { printJson } from "./print.ts";
import { numberOption, textOption, WrongWords, type Run } from "./args.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const call = numberOption(words, "call", 0);
    const request = textOption(words, "request");
    if ((call === 0) === (request === undefined))
      throw new WrongWords("Give the call (--call 12) or the request (--request ID). plimsoll requests lists both.");
    const answer = sentRequestOf(archive, words.args[0]!, request === undefined ? { call } : { request });
    if (words.options["json"] === true) return printJson(answer);
    if (answer.body === null)
      fail("not_found", `The request ${request ?? `of call ${call}`} cannot be shown. ${answer.why ?? ""}`.trim());
    printJson(answer.body);
    console.error(
      `${answer.messages.proven} of ${answer.messages.count} messages verified${answer.isProven === true ? ", and the whole request" : ""}. ${answer.notInFile ?? ""}`.trim(),
    );
  });
