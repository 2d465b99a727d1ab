import { whatIfOf } from "#lib/archive/load/replay-session.ts";
import { leastUsd } from "#lib/kernel/load/load-labels.ts";
import { whatIfRequest, type WhatIfAnswer, type WhatIfRequest } from "#lib/wire/what-if-schema.ts";
import { reading } from "./open-archive.ts";
import { count, plain, printJson, table } from "./print.ts";
import { textOption, textsOption, WrongWords, type Run, type Words } from "./args.ts";

/** Options that take a number, as the request names them too. */
const NUMBERS = [
  "offload",
  "envelope",
  "reread",
  "mask",
  "hysteresis",
  "trigger",
  "free",
  "ratio",
  "tail",
  "summary",
] as const;

export const run: Run = (words) => {
  const policy = policyOf(words);
  return reading(words, async (archive) => {
    const answer = await whatIfOf(archive, words.args[0]!, policy, { counted: true });
    if (words.options["json"] === true) printJson(answer);
    else print(answer);
  });
};

/** Flags whose name is not the field's. */
const FLAGS: Readonly<Record<string, string>> = {
  dropTools: "drop-tool",
  keepTools: "keep-tool",
  fromCall: "from-call",
};

function policyOf(words: Words): WhatIfRequest {
  const numbers = NUMBERS.flatMap((name) => {
    const text = textOption(words, name);
    if (text !== undefined && !/^\d+(\.\d+)?$|^\.\d+$/.test(text))
      throw new WrongWords(`--${name} takes a number, not "${text}".`);
    return text === undefined ? [] : [[name, Number(text)] as const];
  });
  const fromCall = textOption(words, "from-call");
  const request = whatIfRequest.safeParse({
    ...Object.fromEntries(numbers),
    ...(fromCall === undefined ? {} : { fromCall }),
    dropTools: textsOption(words, "drop-tool"),
    keepTools: textsOption(words, "keep-tool"),
    dedupe: words.options["dedupe"] === true,
  });
  if (request.success) return request.data;
  const [issue] = request.error.issues;
  const field = String(issue!.path[0]);
  const name = FLAGS[field] ?? field;
  throw new WrongWords(`--${name}: ${issue!.message}.`);
}

const OUTCOMES = ["low", "expected", "high"] as const;

function print({ actual, predicted, warnings, label, cost }: WhatIfAnswer): void {
  const columns = [actual, ...OUTCOMES.map((name) => predicted[name])];
  const usd = (value: number | null): string => leastUsd(value, cost.unpriced > 0) ?? "–";
  console.log(
    table(
      ["", "Real", "Low", "Expected", "High"],
      [
        ["Peak", ...columns.map(({ peak }) => count(peak))],
        ["Tokens", ...columns.map(({ promptTokens }) => count(promptTokens))],
        ["Input cost", ...columns.map((outcome) => usd(outcome.usd))],
        ["Compactions", ...columns.map(({ compactions }) => count(compactions))],
      ],
    ),
  );
  console.log(`\nLow: no result is read back. High: all are. Upper bound, ${label}.`);
  for (const warning of warnings) console.log(`Warning: ${plain(warning)}`);
}
