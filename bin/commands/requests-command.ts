import { listRequests } from "#lib/archive/memory/list-requests.ts";
import type { RequestsAnswer } from "#lib/wire/sent-request-schema.ts";
import { reading } from "./open-archive.ts";
import { count, oneLine, plain, printJson, table } from "./print.ts";
import { seqOption, type Run } from "./args.ts";

/** As many as an endpoint gives at once. */
const LIMIT = 500;

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const query = { from: seqOption(words, "from"), limit: LIMIT, answered: "any" } as const;
    const answer = listRequests(archive, words.args[0]!, query);
    if (words.options["json"] === true) printJson(answer);
    else print(answer);
  });

function print({ requests, total, unanswered, next, compactions, why }: RequestsAnswer): void {
  if (why !== null) return console.log(why);
  console.log(
    table(
      ["request", "event", "time", "call", "model", "for", "messages", "proved", ""],
      requests.map((one) => [
        plain(one.requestId),
        String(one.seq),
        one.ts ?? "–",
        one.call === null ? "–" : String(one.call),
        plain(one.model ?? "–"),
        plain(one.purpose === "other" ? (one.source ?? "–") : (one.purpose ?? "–")),
        count(one.messages.count),
        count(one.messages.proven),
        oneLine(one.why ?? "", 60),
      ]),
      new Set([0, 2, 4, 5, 8]),
    ),
  );
  console.log(`\n${count(total)} requests, ${count(unanswered)} of no call.`);
  const hidden = compactions.filter(({ requestId }) => requestId === null);
  if (hidden.length > 0)
    console.log(
      `Not in the file: the own request of ${count(hidden.length)} of ${count(compactions.length)} compactions.`,
    );
  if (next !== null) console.log(`More: --from ${next}`);
}
