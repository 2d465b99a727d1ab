import { anyContext, anyContextPayload } from "#lib/archive/memory/plan-context.ts";
import {
  contextQuery,
  CONTEXT_FORMS,
  type ContextAnswer,
  type ContextMessage,
  type ContextQuery,
} from "#lib/wire/memory-schema.ts";
import { planFit, type FitPlan, type FitReason } from "#lib/kernel/artifacts/fit.ts";
import { fail } from "#lib/kernel/errors.ts";
import { reading } from "./open-archive.ts";
import { bytes, count, marked, oneLine, plain, printJson, table } from "./print.ts";
import { numberOption, readRequest, seqOption, textOption, WrongWords, type Run, type Words } from "./args.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const query = queryOf(words);
    const { json, payload } = words.options;
    if (json === true && payload === true) fail("invalid", "--json includes the payload. Give --json or --payload.");
    if (payload === true) {
      process.stdout.write(`${(await anyContextPayload(archive, words.args[0]!, query)).json}\n`);
      return;
    }
    const answer = await anyContext(archive, words.args[0]!, query, { counted: true });
    const window = numberOption(words, "fit", 0);
    const fit = window === 0 ? null : planFit(answer.messages.map(asSystem), window, answer.prefix ?? 0);
    if (json === true) return printJson(fit === null ? answer : { ...answer, fit });
    print(answer, query);
    if (fit !== null) console.log(fitText(fit, window, answer.messages.length));
  });

function queryOf(words: Words): ContextQuery {
  const as = textOption(words, "as");
  if (as !== undefined && !CONTEXT_FORMS.some((known) => known === as))
    throw new WrongWords(`--as takes one of ${CONTEXT_FORMS.join(", ")}, not "${as}".`);
  const at = seqOption(words, "at");
  const plan = textOption(words, "plan");
  if (at !== undefined && plan !== undefined)
    throw new WrongWords("--at and --plan were both given. Give one of them.");
  return readRequest(contextQuery, {
    ...(plan !== undefined && { plan }),
    ...(as !== undefined && { as }),
    ...(at !== undefined && { at }),
  });
}

function print(answer: ContextAnswer, { at, plan }: ContextQuery): void {
  const { messages, left, repair } = answer;
  const call = answer.call === null ? "" : ` (call ${answer.call})`;
  console.log(
    `Context ${positionOf(answer.at, at)}${call}, epoch ${answer.epoch}: ${marked(answer.tokens, answer.origin)} tokens in ${count(messages.length)} messages`,
  );
  if (answer.reported !== null)
    console.log(
      `The provider reported ${count(answer.reported)}: ${marked(answer.prefix ?? 0, "estimated")} hidden prefix, ${marked(answer.reported - answer.tokens - (answer.prefix ?? 0), "estimated")} not explained by the log`,
    );
  if (messages.length > 0)
    console.log(
      `\n${table(
        ["", "role", "events", "tokens", "what"],
        messages.map((one) => [
          one.change === "new" ? "+" : "",
          one.synthetic ? `${one.role} (made)` : one.role,
          spanOf(one.seqs),
          marked(one.tokens, one.origin),
          oneLine(one.label, 80),
        ]),
        new Set([0, 1, 4]),
      )}`,
    );
  if (left.length > 0) {
    console.log(plan === undefined ? "\nRemoved since the call before" : `\nRemoved by ${plan}`);
    for (const one of left)
      console.log(`  ${spanOf(one.seqs)} ${one.role} ${marked(one.tokens, one.origin)} ${oneLine(one.label, 80)}`);
  }
  const mended = Object.entries(repair).filter(([, times]) => times > 0);
  if (mended.length > 0)
    console.log(`\nPairing mended: ${mended.map(([what, times]) => `${times} ${WORDS[what] ?? what}`).join(", ")}`);
  for (const { what, why, count: times } of answer.leftOut ?? [])
    console.log(`Left out of the request: ${times} × ${what}. ${plain(why)}`);
  console.log(`\n${answer.as} payload: ${bytes(answer.payload.bytes)} (--payload prints it)`);
}

/** Of an event that a call answered with, what that call was sent: it ends with an earlier event. */
const positionOf = (end: number, event: number | undefined): string =>
  event === undefined || event === end ? `at event ${end}` : `of event ${event} ends at event ${end}`;

const WORDS: Readonly<Record<string, string>> = {
  moved: "results moved",
  synthetic: "results made",
  duplicates: "second results dropped",
  orphans: "results without a call dropped",
  droppedCalls: "calls dropped",
};

/** Tools stay as the system prompt does. */
const asSystem = ({ role, ...message }: ContextMessage) => ({ ...message, role: role === "tools" ? "system" : role });

const FITS: Readonly<Record<Exclude<FitReason, "invalid-budget">, string>> = {
  empty: "nothing to send",
  "under-budget": "all of it fits",
  "mandatory-tail-only": "only the last user message and what follows stay",
  "budget-trimmed": "the oldest messages are dropped",
};

const fitText = ({ reason, keepFrom, keptTokens, budgetTokens }: FitPlan, window: number, messages: number): string =>
  reason === "invalid-budget"
    ? `\nA window of ${count(window)} tokens has no room for messages. The prefix and the answer alone need more.`
    : `\nA window of ${count(window)} tokens leaves ${count(budgetTokens)} for messages: ${FITS[reason]}. ${count(messages - keepFrom)} of ${count(messages)} messages stay, ~${count(keptTokens)} tokens.`;

const spanOf = (seqs: readonly number[]): string =>
  seqs.length === 0 ? "–" : seqs.length === 1 ? String(seqs[0]) : `${seqs[0]}–${seqs.at(-1)}`;
