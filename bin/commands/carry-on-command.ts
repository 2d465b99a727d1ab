import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readText } from "node:stream/consumers";
import { carryOn } from "#lib/archive/handover/carry-on.ts";
import { planCarryOn } from "#lib/archive/handover/plan-handover.ts";
import { fail } from "#lib/kernel/errors.ts";
import { carryOnAnswer, carryOnRequest, type CarryOnPlan, type CarryOnRequest } from "#lib/wire/carry-on-schema.ts";
import { numberOption, readRequest, seqOption, textOption, WrongWords, type Run, type Words } from "./args.ts";
import { reading, writing } from "./open-archive.ts";
import { count, marked, oneLine, plain, printJson, table } from "./print.ts";

export const run: Run = async (words) => {
  const session = words.args[0]!;
  const { to, ...request } = await requestOf(words);
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  const options = { signal: stop.signal, counted: true };
  const isJson = words.options["json"] === true;
  const isMessage = words.options["first-message"] === true;
  try {
    if (words.options["dry-run"] === true || isMessage) {
      const plan = await reading(words, (archive) => planCarryOn(archive, session, request, options));
      if (isJson) printJson(plan);
      else if (isMessage) console.log(plain(plan.summary ?? plan.reason ?? "A fork has no summary."));
      else printPlan(plan, true);
      return plan.status === "planned" && (!isMessage || plan.summary !== null) ? 0 : 1;
    }
    const whole = { ...request, ...(to !== undefined && { to }) };
    const made = await writing(words, "carry-on", { session, ...whole }, (archive) =>
      carryOn(archive, session, whole, options),
    );
    const { plan, written } = carryOnAnswer.parse(made);
    if (isJson) printJson({ plan, written });
    else {
      printPlan(plan, false);
      if (written !== null)
        console.log(
          `\nWritten ${plain(written.path)} (${count(written.sizeBytes)} bytes)\nContinue: ${plain(written.command)}\nRemove it: plimsoll take-back ${written.id}`,
        );
    }
    return written === null ? 1 : 0;
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
};

async function requestOf(words: Words): Promise<CarryOnRequest> {
  const at = seqOption(words, "at");
  const path = textOption(words, "summary");
  const to = textOption(words, "to");
  const given = {
    ...(at !== undefined && { at }),
    mode: words.options["fork"] === true ? "fork" : "summary",
    ...optional(words, ["summarizer", "instructions"]),
    ...(textOption(words, "tool-events") !== undefined && { toolEvents: textOption(words, "tool-events") }),
    ...(words.options["tail"] !== undefined && { tail: numberOption(words, "tail", 0) }),
    ...(words.options["budget-chars"] !== undefined && { budgetChars: numberOption(words, "budget-chars", 0) }),
    ...(words.options["over"] !== undefined && { over: numberOption(words, "over", 0) }),
    ...(words.options["over"] !== undefined && { envelopes: true }),
    ...(words.options["no-envelopes"] === true && { envelopes: false }),
    ...(path !== undefined && { lines: await linesOf(path) }),
    ...(to !== undefined && { to: resolve(to) }),
  };
  if (given.mode === "fork" && path !== undefined) throw new WrongWords("A fork has no summary: leave out --summary.");
  return readRequest(carryOnRequest, given, { lines: "--summary" });
}

const optional = (words: Words, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = textOption(words, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

async function linesOf(path: string) {
  const text =
    path === "-"
      ? await readText(process.stdin)
      : await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) =>
          fail(
            "not_found",
            `The summary ${plain(path)} could not be read (${error.code ?? "failed"}). Check --summary.`,
            error,
          ),
        );
  return text
    .replace(/\n$/u, "")
    .split(/\r?\n/u)
    .map((line) => ({ text: line, seqs: [] }));
}

function printPlan(plan: CarryOnPlan, isWhole: boolean): void {
  const { status, reason, tokens, agent, lines, path, command } = plan;
  if (status === "nothing") return console.log(`Nothing to carry on. ${plain(reason ?? "")}`);
  const version = agent.version === null ? "" : ` ${agent.version}`;
  console.log(
    `${plain(agent.label + version)}: ${marked(tokens.now, tokens.nowOrigin)} tokens before (${marked(tokens.unattributed, tokens.origin)} unattributed), ${marked(tokens.next, tokens.origin)} at the next call (${marked(tokens.prefix, tokens.origin)} system prompt and tools)`,
  );
  const of = (kind: string): number => lines.filter((line) => line.kind === kind).length;
  console.log(
    `${count(lines.length)} lines: ${count(of("kept"))} kept, ${count(of("replaced"))} with an envelope (saves ${count(tokens.replaced)} tokens), ${count(of("summary"))} summary (${count(tokens.summary)} tokens)`,
  );
  for (const warning of plan.warnings) console.log(`Warning: ${plain(warning)}`);
  if (!isWhole) return;
  console.log(
    `\nFile: ${path === null ? "unknown folder; name one with --to" : plain(path)}\nContinue: ${plain(command)}\n`,
  );
  console.log(
    table(
      ["Line", "Kind", "Events", "Tokens", "What"],
      lines.map(({ kind, seqs, tokens: weight, label, note }, i) => [
        count(i + 1),
        kind,
        seqs.length === 0 ? "" : seqs.length === 1 ? String(seqs[0]) : `${seqs[0]}–${seqs.at(-1)}`,
        count(weight),
        oneLine(note ?? label, 80),
      ]),
    ),
  );
  if (plan.summary !== null) console.log(`\n${plain(plan.summary)}`);
}
