import { sessionLedger } from "#lib/archive/load/session-ledger.ts";
import type { CulpritRow, LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { verdictMarkdown } from "#lib/wire/verdict-markdown.ts";
import { fail } from "#lib/kernel/errors.ts";
import { alsoWords, estimatedUsd, leastUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { logSurplus } from "#lib/kernel/load/log-surplus.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import { reading } from "./open-archive.ts";
import { costLine } from "./cost-line.ts";
import { count, marked, oneLine, plain, printJson, table } from "./print.ts";
import type { Run } from "./args.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const { json, markdown } = words.options;
    if (json === true && markdown === true) fail("invalid", "--json and --markdown were both given. Give one of them.");
    const ledger = await sessionLedger(archive, words.args[0]!, { counted: true });
    if (json === true) printJson(ledger);
    else if (markdown === true) console.log(verdictMarkdown(ledger, await showSession(archive, ledger.sessionId)));
    else print(ledger);
  });

/** Culprits that a terminal shows; --json has all. */
const SHOWN = 12;

function print(ledger: LedgerAnswer): void {
  const { calls, culprits } = ledger;
  console.log(`${oneLine(ledger.title, 100)}\n`);
  for (const line of Map.groupBy(ledger.verdictClauses, (clause) => clause.line).values())
    console.log(plain(line.map(({ text }) => text).join("")));
  console.log(`\nCost: ${costLine(ledger.cost)}`);
  if (ledger.inputUsd !== null)
    console.log(`Input of its own calls: ${leastUsd(ledger.inputUsd, ledger.cost.unpriced > 0) ?? NO_PRICE}`);
  printBase(ledger);
  printInferred(ledger);
  const shown = calls.find(({ call }) => call === ledger.worst) ?? largestOf(ledger);
  if (shown !== undefined) {
    const end = shown.reported === null ? "estimated (the file reports no prompt tokens)" : "as reported";
    console.log(
      `\nCall ${shown.call}: ${partsOf(ledger, shown)} = ${marked(shown.sum, shown.reported === null ? "estimated" : null)}, ${end}`,
    );
  }
  if (ledger.growthError !== null)
    console.log(
      `Estimate error before reconciliation: ${percent(ledger.growthError)} over ${count(ledger.transitions)} calls; ${restWords(ledger)}`,
    );
  if (ledger.blowUps.length > 0) {
    console.log("\nBlow-ups");
    for (const one of ledger.blowUps.slice(0, SHOWN))
      console.log(`  call ${one.call}, event ${one.seq}: ${one.kind} at ${count(one.tokens)}`);
    if (ledger.blowUps.length > SHOWN) console.log(`  and ${ledger.blowUps.length - SHOWN} more (--json lists them)`);
  }
  for (const one of ledger.clearings)
    console.log(
      `\nResults cleared before call ${one.call ?? "–"}. Ledger ${count(one.predicted)}, what-if ${count(one.replayed)}, prompt fell by ${count(one.reported)}, agent reported ${count(one.agentSaid)}`,
    );
  if (culprits.length === 0) {
    console.log("\nNo culprits found.");
    return;
  }
  console.log("\nCulprits");
  console.log(
    table(
      ["what", "event", "calls", "tokens", "sent", "avoidable", "saves", "off peak", "what to do"],
      culprits.slice(0, SHOWN).map(row),
      new Set([0, 8]),
    ),
  );
  for (const { also, label } of culprits.slice(0, SHOWN))
    if (also.length > 0) console.log(`Without ${oneLine(label, 44)} also avoided: ${alsoWords(also)}`);
  const more = culprits.length - SHOWN + ledger.culpritsLeftOut;
  if (more > 0) console.log(`and ${more} more (--json lists ${culprits.length})`);
}

/** The parts of a call's prompt, each known as its least known item. */
function partsOf(
  { items }: LedgerAnswer,
  { call, prefix, visible, unattributed }: LedgerAnswer["calls"][number],
): string {
  const there = items.filter(
    ({ enteredAt, leftAt, tokens }) => tokens !== 0 && enteredAt <= call && (leftAt === null || leftAt > call),
  );
  const kindOf = ({ seq, kind }: LedgerAnswer["items"][number]): string => (seq === null ? kind : "visible");
  const part = (name: string, tokens: number): string =>
    marked(tokens, leastKnown(there.filter((item) => kindOf(item) === name).map(({ origin }) => origin)));
  return `${part("prefix", prefix)} hidden prefix + ${part("visible", visible)} in the file + ${part("unattributed", unattributed)} unattributed`;
}

/** What stands before the conversation in every prompt, as far as the file says. */
function printBase({ base, calls }: LedgerAnswer): void {
  const all = calls.reduce((sum, call) => sum + call.sum, 0);
  if (all === 0 || base.parts.length === 0 || base.share > 1) return;
  const parts = base.parts.map(({ label, sent }) => `${oneLine(label, 60)} ${percent(sent / all)}`);
  console.log(`\nBefore the conversation, ${percent(base.share)} of everything sent: ${parts.join(", ")}`);
}

/** What its unnamed part may be: a mark of its own, since no sum has it. */
function printInferred({ inferredParts }: LedgerAnswer): void {
  if (inferredParts === null) return;
  const { from, known, tokens, parts } = inferredParts;
  const source = from.isOwn
    ? "its own later requests"
    : `session ${from.session} of version ${from.version ?? "unknown"}`;
  const named = parts.slice(0, SHOWN).map((part) => `${oneLine(part.name, 40)} ?${count(part.tokens)}`);
  const more = parts.length > SHOWN ? `, and ${parts.length - SHOWN} more` : "";
  const over = tokens > known ? `; ${count(tokens - known)} more than its size, so some were not sent` : "";
  console.log(
    `\nHidden prefix, ${marked(known, "estimated")}. Inferred from ${source}: ${named.join(", ")}${more}${over}`,
  );
}

const row = (one: CulpritRow): string[] => [
  oneLine(one.label, 44),
  one.seq === null ? "–" : String(one.seq),
  `${one.fromCall}–${one.toCall}`,
  marked(one.tokens, ORIGINS[one.grade]),
  `${one.callsResident}×`,
  `~${count(one.avoidableTokens)}`,
  estimatedUsd(one.avoidableUsd, one.isPartial) ?? "–",
  `~${count(one.offPeak)}`,
  plain(one.fix),
];

/** As originOf says of an item; a culprit may be several. */
const ORIGINS = { exact: "reported", tight: "counted", estimated: "estimated" } as const;

function restWords({ unattributedShare, calls }: LedgerAnswer): string {
  const surplus = logSurplus(calls);
  return surplus === null
    ? `${percent(unattributedShare ?? 0)} of all tokens unattributed`
    : `the log holds ${percent(surplus)} more than the reported prompts`;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const largestOf = ({ calls }: LedgerAnswer) =>
  calls.reduce<LedgerAnswer["calls"][number] | undefined>(
    (most, call) => (most === undefined || call.sum > most.sum ? call : most),
    undefined,
  );
