// Real, policy, saved; with the span between nothing and all being read back on hover.
import { TriangleAlert } from "lucide-react";
import { inheritedWords, unpricedWords } from "#lib/kernel/load/cost-words.ts";
import { leastUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import type { Origin } from "#lib/wire/common-schema.ts";
import type { WhatIfAnswer } from "#lib/wire/what-if-schema.ts";
import { formatTokens, formatUsd } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";

type OutcomesProps = { answer: WhatIfAnswer | undefined; isOld: boolean; isReported: boolean };

type Outcome = WhatIfAnswer["actual"];
type Measure = {
  readonly name: string;
  readonly of: (outcome: Outcome) => number | null;
  readonly words: (value: number) => string;
  /** Saved as a count, not as a share. */
  readonly counts?: boolean;
  readonly isMoney?: boolean;
};

const short = (tokens: number): string => formatTokens(tokens, true);
const MEASURES: readonly Measure[] = [
  { name: "Peak", of: ({ peak }) => peak, words: short },
  { name: "Tokens", of: ({ promptTokens }) => promptTokens, words: short },
  { name: "Input cost", of: ({ usd }) => usd, words: formatUsd, isMoney: true },
  { name: "Compactions", of: ({ compactions }) => compactions, words: (count) => formatTokens(count), counts: true },
];

export function Outcomes({ answer, isOld, isReported }: OutcomesProps) {
  const origin: Origin = isReported ? "reported" : "estimated";
  return (
    <div aria-busy={isOld || answer === undefined || undefined}>
      <table className="mt-3 w-full table-fixed text-12" aria-label="Predicted outcome">
        <thead>
          <tr className="h-6 border-b border-line-strong text-ink-3">
            <th scope="col">
              <span className="sr-only">Measure</span>
            </th>
            <th scope="col" className="num w-15 font-medium">
              Real
            </th>
            <th scope="col" className="num w-17 font-medium">
              Policy
            </th>
            <th scope="col" className="num w-15 font-medium">
              Saved
            </th>
          </tr>
        </thead>
        <tbody>
          {MEASURES.map((measure) => (
            <MeasureRow key={measure.name} measure={measure} answer={answer} origin={origin} />
          ))}
        </tbody>
      </table>
      {answer && <ReadBack answer={answer} />}
      {answer && <Paid cost={answer.cost} />}
      {answer?.warnings.map((warning) => (
        <p key={warning} className="mt-2.5 flex gap-2 text-12 text-ink-2">
          <TriangleAlert size={13} className="mt-0.5" aria-label="Warning" />
          <span>
            <SafeText text={warning} />
          </span>
        </p>
      ))}
    </div>
  );
}

type RowProps = { measure: Measure; answer: WhatIfAnswer | undefined; origin: Origin };

function MeasureRow({ measure, answer, origin }: RowProps) {
  const isLower = measure.isMoney === true && answer !== undefined && answer.cost.unpriced > 0;
  const real = answer && measure.of(answer.actual);
  const expected = answer && measure.of(answer.predicted.expected);
  const words = (value: number | null | undefined): string | null =>
    value == null ? null : isLower ? leastUsd(value, true) : measure.words(value);
  return (
    <tr className="h-6 border-b border-line">
      <th scope="row" className="text-left font-normal">
        {measure.name}
      </th>
      <td className="num">
        {words(real) === null ? (
          <Absent why={answer && NO_PRICE} />
        ) : (
          <>
            {origin === "estimated" && measure.counts !== true && <span className="text-ink-3">~</span>}
            {words(real)}
          </>
        )}
      </td>
      <td className="num font-medium">
        {words(expected) === null || answer === undefined ? (
          <Absent />
        ) : (
          <span title={spanWords(measure, answer)}>
            {!isLower && <span className="font-normal text-ink-3">~</span>}
            {words(expected)}
            <span className="sr-only"> estimated</span>
          </span>
        )}
      </td>
      <td className="num">{savedWords(measure, real ?? null, expected ?? null) ?? <Absent />}</td>
    </tr>
  );
}

function spanWords(measure: Measure, { predicted }: WhatIfAnswer): string {
  const low = measure.of(predicted.low);
  const high = measure.of(predicted.high);
  if (low === null || high === null) return "";
  return `Estimated. Nothing read back: ${measure.words(low)}. All of it read back: ${measure.words(high)}.`;
}

/** `9.6 %`, `−28.0 %` for what costs more, `2` for compactions. */
function savedWords(measure: Measure, real: number | null, policy: number | null): string | null {
  if (real === null || policy === null) return null;
  const saved = real - policy;
  const sign = saved < 0 ? "−" : "";
  if (measure.counts === true) return `${sign}${formatTokens(Math.abs(saved))}`;
  return real === 0 ? null : percent(saved / real);
}

const percent = (share: number): string => `${share < -0.0005 ? "−" : ""}${(Math.abs(share) * 100).toFixed(1)}\u2009%`;

/** Whose dollars these are, where a reader could take them for others. */
function Paid({ cost }: { cost: WhatIfAnswer["cost"] }) {
  const notes = [
    unpricedWords(cost) !== null && `${unpricedWords(cost)}: dollars are a lower bound.`,
    inheritedWords(cost) !== null && `Dollars: own calls only (${inheritedWords(cost)}).`,
  ].filter((note) => note !== false);
  return notes.length === 0 ? null : <p className="mt-1 text-12 text-ink-3">{notes.join(" ")}</p>;
}

/** How much hangs on what is read back, and what every prediction assumes. */
function ReadBack({ answer }: { answer: WhatIfAnswer }) {
  const { actual, predicted } = answer;
  const saved = ({ promptTokens }: Outcome): string => {
    const share = actual.promptTokens === 0 ? 0 : (actual.promptTokens - promptTokens) / actual.promptTokens;
    return share < -0.0005 ? `${percent(-share)} more are sent` : `${percent(share)} are saved`;
  };
  const differs = predicted.low.promptTokens !== predicted.high.promptTokens;
  return (
    <p className="mt-2.5 text-12 text-ink-3">
      {differs &&
        `Of the tokens ${saved(predicted.low)} when nothing is read back, and ${saved(predicted.high)} when all of it is. `}
      The same turns are assumed, so this is an upper bound.
    </p>
  );
}
