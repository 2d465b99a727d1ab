import { whatIfOf } from "#lib/archive/load/replay-session.ts";
import { estimatedUsd, leastUsd } from "#lib/kernel/load/load-labels.ts";
import { whatIfRequest, type WhatIfAnswer, type WhatIfRequest } from "#lib/wire/what-if-schema.ts";
import { reading } from "./open-archive.ts";
import { count, marked, plain, printJson, table } from "./print.ts";
import { readRequest, textOption, textsOption, WrongWords, type Run, type Words } from "./args.ts";

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
const FLAGS = { dropTools: "--drop-tool", keepTools: "--keep-tool" };

function policyOf(words: Words): WhatIfRequest {
  const numbers = NUMBERS.flatMap((name) => {
    const text = textOption(words, name);
    if (text !== undefined && !/^\d+(\.\d+)?$|^\.\d+$/.test(text))
      throw new WrongWords(`--${name} takes a number, not "${text}".`);
    return text === undefined ? [] : [[name, Number(text)] as const];
  });
  const fromCall = textOption(words, "from-call");
  const given = {
    ...Object.fromEntries(numbers),
    ...(fromCall === undefined ? {} : { fromCall }),
    dropTools: textsOption(words, "drop-tool"),
    keepTools: textsOption(words, "keep-tool"),
    dedupe: words.options["dedupe"] === true,
  };
  return readRequest(whatIfRequest, given, FLAGS);
}

type Outcome = WhatIfAnswer["actual"];
const OUTCOMES = ["low", "expected", "high"] as const;

function print({ actual, predicted, warnings, label, cost }: WhatIfAnswer): void {
  const isLeast = cost.unpriced > 0;
  const row = (name: string, of: (outcome: Outcome) => number): string[] => [
    name,
    count(of(actual)),
    ...OUTCOMES.map((outcome) => marked(of(predicted[outcome]), "estimated")),
  ];
  console.log(
    table(
      ["", "Real", "None read", "Expected", "All read"],
      [
        row("Peak", ({ peak }) => peak),
        row("Tokens", ({ promptTokens }) => promptTokens),
        [
          "Input cost",
          leastUsd(actual.usd, isLeast) ?? "–",
          ...OUTCOMES.map((outcome) => estimatedUsd(predicted[outcome].usd, isLeast) ?? "–"),
        ],
        row("Compactions", ({ compactions }) => compactions),
      ],
    ),
  );
  console.log(`\nNone read: no result is read back. All read: all are. Upper bound, ${label}.`);
  for (const warning of warnings) console.log(`Warning: ${plain(warning)}`);
}
