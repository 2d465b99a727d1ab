import { compactSession } from "#lib/archive/memory/compact.ts";
import { compactAnswer, compactRequest, type CompactAnswer, type CompactRequest } from "#lib/wire/memory-schema.ts";
import { reading, writing } from "./open-archive.ts";
import { count, marked, oneLine, plain, printJson, table } from "./print.ts";
import { numberOption, seqOption, textOption, WrongWords, type Run, type Words } from "./args.ts";

export const run: Run = async (words) => {
  const request = requestOf(words);
  const session = words.args[0]!;
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  const options = { signal: stop.signal, counted: true };
  const answer = request.dryRun
    ? await reading(words, (archive) => compactSession(archive, session, request, options))
    : compactAnswer.parse(
        await writing(words, "compact", { session, ...request }, (archive) =>
          compactSession(archive, session, request, options),
        ),
      );
  process.off("SIGINT", onSignal);
  process.off("SIGTERM", onSignal);
  if (words.options["json"] === true) printJson(answer);
  else print(answer);
  return answer.status === "failed" ? 1 : 0;
};

function requestOf(words: Words): CompactRequest {
  const at = seqOption(words, "at");
  const summarizer = textOption(words, "summarizer");
  const toolEvents = textOption(words, "tool-events");
  const instructions = textOption(words, "instructions");
  const request = compactRequest.safeParse({
    ...(at !== undefined && { at }),
    ...(summarizer !== undefined && { summarizer }),
    ...(toolEvents !== undefined && { toolEvents }),
    ...(instructions !== undefined && { instructions }),
    ...(words.options["budget-chars"] !== undefined && { budgetChars: numberOption(words, "budget-chars", 0) }),
    ...(words.options["tail"] !== undefined && { tail: numberOption(words, "tail", 0) }),
    dryRun: words.options["dry-run"] === true,
  });
  if (request.success) return request.data;
  const [issue] = request.error.issues;
  const name = String(issue!.path[0]).replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
  throw new WrongWords(`--${name}: ${issue!.message}.`);
}

const DONE: Readonly<Record<CompactAnswer["status"], string>> = {
  planned: "Would compact",
  complete: "Compacted",
  nothing_to_compact: "Nothing to compact",
  failed: "Failed, and nothing was changed",
  undone: "Undone",
};

function print(answer: CompactAnswer): void {
  const { status, kind, id, events, turns, origin } = answer;
  const done = status === "planned" && id !== null ? "Kept as a plan" : DONE[status];
  if (events === null) {
    console.log(`${done}. ${plain(answer.reason ?? "")}`);
    return;
  }
  const of = answer.unit === "block" ? "steps of turns" : "turns";
  console.log(
    `${done}: events ${events[0]} to ${events[1]} (${of} ${spans(turns)}), ${marked(answer.tokensBefore, origin)} down to ${marked(answer.tokensAfter, origin)} tokens`,
  );
  console.log(
    `${count(answer.whole.length)} events stay whole, ${count(answer.summarised.length)} are summarised, ${count(answer.dropped.length)} leave the context; all of them stay in the log`,
  );
  const kept = Object.entries(answer.kept).filter(([, { total }]) => total > 0);
  if (kept.length > 0)
    console.log(
      `\n${table(
        ["In the summary", "kept", "of"],
        kept.map(([name, one]) => [NAMES[name] ?? name, count(one.kept), count(one.total)]),
      )}`,
    );
  console.log(`\n${plain(answer.summary)}`);
  const items = [...answer.semantic];
  if (items.length > 0) {
    console.log("\nFacts");
    for (const { category, text } of items) console.log(`  ${category ?? "fact"}: ${oneLine(text, 100)}`);
  }
  if (id !== null)
    console.log(
      kind === "plan"
        ? `\n${id}: a plan beside the session; its file is never changed. plimsoll undo ${id} takes it back`
        : `\n${id}: plimsoll undo ${id} takes it back`,
    );
}

const NAMES: Readonly<Record<string, string>> = {
  files: "Files changed",
  commands: "Commands",
  errors: "Error lines",
  userMessages: "What was asked",
  decisions: "Decisions",
};

/** 1–4, 7 */
function spans(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const one of numbers) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === one - 1) last[1] = one;
    else parts.push([one, one]);
  }
  return parts.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(", ");
}
