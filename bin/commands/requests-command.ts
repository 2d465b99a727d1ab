import { listRequests } from "#lib/archive/memory/list-requests.ts";
import type { RequestsAnswer } from "#lib/wire/sent-request-schema.ts";
import { dollars } from "#lib/kernel/load/load-labels.ts";
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

function print(answer: RequestsAnswer): void {
  const { total, unanswered, next, why } = answer;
  if (why !== null) {
    console.log(why);
    return printHidden(answer);
  }
  console.log(
    table(
      ["request", "event", "time", "call", "model", "for", "messages", "verified", ""],
      rowsOf(answer).map((one) => [
        plain(one.requestId ?? "–"),
        String(one.seq),
        one.ts ?? "–",
        one.call === null ? "–" : String(one.call),
        plain(one.model ?? "–"),
        plain(one.purpose === "other" ? (one.source ?? "–") : (one.purpose ?? "–")),
        one.messages === null ? "–" : count(one.messages.count),
        one.messages === null ? "–" : count(one.messages.proven),
        oneLine(one.why ?? "", 60),
      ]),
      new Set([0, 2, 4, 5, 8]),
    ),
  );
  console.log(`\n${count(total)} requests, ${count(unanswered)} without a call.`);
  printHidden(answer);
  if (next !== null) console.log(`More: --from ${next}`);
}

type Row = Omit<RequestsAnswer["requests"][number], "requestId" | "messages"> & {
  readonly requestId: string | null;
  readonly messages: RequestsAnswer["requests"][number]["messages"] | null;
};

/** The page's requests, and between them the compactions whose own request is in no record. */
function rowsOf({ requests, compactions, next }: RequestsAnswer): Row[] {
  const from = requests[0]?.seq ?? 0;
  const hidden = compactions.filter(
    ({ seq, requestId }) => requestId === null && seq > from && (next === null || seq < next),
  );
  const nothing = { requestId: null, ts: null, model: null, source: null, call: null, messages: null };
  return [
    ...requests,
    ...hidden.map(({ seq }): Row => ({ ...nothing, seq, purpose: "compaction", why: "not in the file" })),
  ].toSorted((a, b) => a.seq - b.seq);
}

function printHidden({ compactions, beyond }: RequestsAnswer): void {
  const hidden = compactions.filter(({ requestId }) => requestId === null);
  if (hidden.length === 0) return;
  console.log(`Not in the file: the requests of ${count(hidden.length)} of ${count(compactions.length)} compactions.`);
  if (beyond === null) return;
  const usd = beyond.usd === null ? "" : `, ${dollars(beyond.usd)}`;
  console.log(`The agent's own totals have ${count(beyond.tokens)} tokens${usd} beyond its calls.`);
}
