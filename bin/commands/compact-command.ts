import { readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { compactSession, type CompactOptions } from "#lib/archive/memory/compact.ts";
import { compareOwn } from "#lib/archive/memory/own-summary.ts";
import { EXTRACTIVE } from "#lib/archive/memory/write-summary.ts";
import { fail } from "#lib/kernel/errors.ts";
import { compactAnswer, compactRequest, type CompactAnswer, type CompactRequest } from "#lib/wire/memory-schema.ts";
import { reading, writing } from "./open-archive.ts";
import { count, marked, oneLine, plain, printJson, table } from "./print.ts";
import { issueWords } from "./issue-words.ts";
import { ownTable } from "./own-table.ts";
import { writeNew } from "./write-new-file.ts";
import { numberOption, readRequest, seqOption, textOption, WrongWords, type Run, type Words } from "./args.ts";

export const run: Run = async (words) => {
  const request = requestOf(words);
  const session = words.args[0]!;
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  try {
    const options = { signal: stop.signal, counted: true };
    const edited = await editedOf(words, request);
    if (words.options["own"] === true) return await compareWithOwn(words, { ...request, ...edited }, options);
    const answer = await compacted(words, session, request, edited, options);
    const out = textOption(words, "out");
    if (out !== undefined && answer.events !== null) await writeNew(out, piecesOf(answer.summary));
    if (words.options["json"] === true) printJson(answer);
    else {
      print(answer);
      if (out !== undefined && answer.events !== null) console.log(`\nSummary written to ${plain(out)}`);
    }
    return answer.status === "failed" ? 1 : 0;
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
};

type Edited = Pick<CompactRequest, "lines">;

async function compacted(
  words: Words,
  session: string,
  request: CompactRequest,
  edited: Edited,
  options: CompactOptions,
): Promise<CompactAnswer> {
  const dry = { ...request, dryRun: true };
  const own = (archive: Archive) => compactSession(archive, session, dry, options);
  // Lines that are the summarizer's own keep the events that they stand for.
  const lines =
    edited.lines === undefined ? {} : { lines: withEvents(edited.lines, (await reading(words, own)).lines) };
  const whole = { ...request, ...lines };
  if (request.dryRun) return reading(words, (archive) => compactSession(archive, session, whole, options));
  return compactAnswer.parse(
    await writing(words, "compact", { session, ...whole }, (archive) =>
      compactSession(archive, session, whole, options),
    ),
  );
}

/** A summary that a person wrote or edited, from a file or from standard input. */
async function editedOf(words: Words, { summarizer }: CompactRequest): Promise<Edited> {
  const path = textOption(words, "summary");
  if (path === undefined) return {};
  if (summarizer !== EXTRACTIVE)
    throw new WrongWords("--summary is used in place of what a model writes: leave out --summarizer.");
  const text = path === "-" ? await readText(process.stdin) : await readFile(path, "utf8").catch(refuse(path));
  const lines = text
    .replace(/\n$/u, "")
    .split(/\r?\n/u)
    .map((line) => ({ text: line, seqs: [] }));
  const read = compactRequest.shape.lines.safeParse(lines);
  if (!read.success) throw new WrongWords(issueWords("--summary", read.error.issues[0]!));
  return { lines: read.data };
}

const refuse = (path: string) => (error: NodeJS.ErrnoException) =>
  fail(
    "not_found",
    `The summary ${plain(path)} could not be read (${error.code ?? "failed"}). Check --summary.`,
    error,
  );

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${text}\n`);
}

/** The events of each line that stands in the summarizer's own, once each. */
function withEvents(
  lines: NonNullable<CompactRequest["lines"]>,
  own: CompactAnswer["lines"],
): NonNullable<CompactRequest["lines"]> {
  const left = Map.groupBy(own, ({ text }) => text);
  return lines.map(({ text }) => ({ text, seqs: left.get(text)?.shift()?.seqs ?? [] }));
}

async function compareWithOwn(words: Words, request: CompactRequest, options: CompactOptions): Promise<number> {
  const session = words.args[0]!;
  const found = await reading(words, (archive) => compareOwn(archive, session, request, options));
  if (words.options["json"] === true) printJson(found);
  else if (found.own === null) console.log(plain(found.whyNone ?? ""));
  else console.log(ownTable(found));
  return found.own === null ? 1 : 0;
}

function requestOf(words: Words): CompactRequest {
  const at = seqOption(words, "at");
  const summarizer = textOption(words, "summarizer");
  const toolEvents = textOption(words, "tool-events");
  const instructions = textOption(words, "instructions");
  return readRequest(compactRequest, {
    ...(at !== undefined && { at }),
    ...(summarizer !== undefined && { summarizer }),
    ...(toolEvents !== undefined && { toolEvents }),
    ...(instructions !== undefined && { instructions }),
    ...(words.options["budget-chars"] !== undefined && { budgetChars: numberOption(words, "budget-chars", 0) }),
    ...(words.options["tail"] !== undefined && { tail: numberOption(words, "tail", 0) }),
    dryRun: words.options["dry-run"] === true,
  });
}

const DONE: Readonly<Record<CompactAnswer["status"], string>> = {
  planned: "Would compact",
  complete: "Compacted",
  nothing_to_compact: "Nothing to compact",
  failed: "Failed; nothing changed",
  undone: "Undone",
};

function print(answer: CompactAnswer): void {
  const { status, kind, id, events, turns, origin } = answer;
  const done = status === "planned" && id !== null ? "Saved as a plan" : DONE[status];
  if (events === null) {
    console.log(`${done}. ${plain(answer.reason ?? "")}`);
    return;
  }
  const of = answer.unit === "block" ? "steps of turns" : "turns";
  console.log(
    `${done}: events ${events[0]} to ${events[1]} (${of} ${spans(turns)}), messages ${marked(answer.tokensBefore, origin)} down to ${marked(answer.tokensAfter, origin)} tokens`,
  );
  console.log(
    `Events: ${count(answer.whole.length)} kept whole, ${count(answer.summarised.length)} summarised, ${count(answer.dropped.length)} removed from the context. The log keeps all of them.`,
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
        ? `\n${id}: saved as a plan; the agent's file is not changed. Discard it: plimsoll undo ${id}`
        : `\n${id}. Undo it: plimsoll undo ${id}`,
    );
}

const NAMES: Readonly<Record<string, string>> = {
  files: "Files changed",
  commands: "Commands",
  errors: "Error lines",
  userMessages: "User messages",
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
