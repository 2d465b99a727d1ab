"use client";
import type { CalibrationAnswer, Compared } from "#lib/wire/calibration-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { formatTokens } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { CLASS_WORDS, FAMILY_WORDS, formatError, formatWeighting, heldOut, inUse } from "./calibration-words.ts";

const SUB = `${ROW} [&>td]:bg-sunk`;

type WithAnswer = { answer: CalibrationAnswer };

/** Any family has constants of its own: else the column would only repeat the one before. */
const isAnyFitted = ({ families }: CalibrationAnswer): boolean => families.some(({ isFitted }) => isFitted);

function errorColumns(answer: CalibrationAnswer): readonly Column[] {
  return [
    { name: "Characters ÷ 4", look: "w-28", title: "Used where nothing is counted" },
    { name: "Shipped", look: "w-24", title: "Shipped constants" },
    ...(isAnyFitted(answer)
      ? [
          {
            name: "In use*",
            look: "w-24",
            title: "Current constants, measured on their own fit",
          },
        ]
      : []),
    {
      name: "Fitted to others",
      look: "w-32",
      title: "Fitted to the other sessions, never to the one that is judged",
    },
    {
      name: "Median miss, tokens",
      look: "w-40",
      title: "Half of the transitions miss by less; of a fit, by one to the other sessions",
    },
  ];
}

function ErrorCells({ row, answer, isFitted }: WithAnswer & { row: Compared; isFitted: boolean }) {
  const median = heldOut(row, isFitted)?.median ?? null;
  return (
    <>
      <td className="num text-ink-2">
        <Share wape={row.charsOver4.wape} />
      </td>
      <td className="num">
        <Share wape={row.shipped.wape} />
      </td>
      {isAnyFitted(answer) && (
        <td className="num text-ink-2">
          <Share wape={inUse(row, isFitted).wape} />
        </td>
      )}
      <td className="num">
        {row.fitted === null ? <Absent why="Only one session: no other to fit to" /> : <Share wape={row.fitted.wape} />}
      </td>
      <td className="num">
        {median === null ? <Absent /> : formatTokens(Math.round(median))}
        <span className="sr-only"> tokens</span>
      </td>
    </>
  );
}

export function Share({ wape }: { wape: number | null }) {
  return wape === null ? <Absent why="These prompts did not grow" /> : formatError(wape);
}

/** Errors by family, and by the models of it. */
export function ModelErrors({ answer }: WithAnswer) {
  return (
    <>
      <ModelTable answer={answer} />
      {isAnyFitted(answer) && (
        <p className="mt-1 text-12 text-ink-3">
          * Measured on the sessions used for the fit. <em>Fitted to others</em> is the honest figure.
        </p>
      )}
    </>
  );
}

function ModelTable({ answer }: WithAnswer) {
  const columns: readonly Column[] = [
    { name: "Model" },
    { name: "Sessions", look: "w-24" },
    { name: "Transitions", look: "w-28" },
    ...errorColumns(answer),
    { name: "A fit", look: "w-48" },
  ];
  return (
    <PlainTable label="Error by model" width="min-w-260" columns={columns}>
      {answer.families.map((family) => (
        <FamilyRows key={family.family} family={family} answer={answer} />
      ))}
    </PlainTable>
  );
}

function FamilyRows({ family, answer }: WithAnswer & { family: FamilyErrors }) {
  return (
    <>
      <tr className={ROW}>
        <td className="pl-0! font-medium">{FAMILY_WORDS[family.family]}</td>
        <td className="num">{formatTokens(family.sessions)}</td>
        <td className="num">{formatTokens(family.transitions)}</td>
        <ErrorCells row={family} answer={answer} isFitted={family.isFitted} />
        <td className="num text-12">
          {family.isFitted ? (
            <Badge title={family.source}>in use</Badge>
          ) : family.family === "other" ? (
            <span className="text-ink-3">never: they have nothing in common</span>
          ) : family.missing > 0 ? (
            `${formatTokens(family.missing)} transitions missing`
          ) : (
            "can be made"
          )}
        </td>
      </tr>
      {answer.models
        .filter((model) => model.family === family.family)
        .toSorted((a, b) => b.transitions - a.transitions)
        .map((model) => (
          <tr key={model.model} className={SUB}>
            <td className="pl-4! text-ink-2" title={model.model}>
              <SafeText text={model.model} />
            </td>
            <td className="num">{formatTokens(model.sessions)}</td>
            <td className="num">{formatTokens(model.transitions)}</td>
            <ErrorCells row={model} answer={answer} isFitted={family.isFitted} />
            <td className="num">
              <Absent why="A fit is made for all models of one kind" />
            </td>
          </tr>
        ))}
    </>
  );
}

/** Errors of transitions that one class made, and the constants of that class. */
export function ClassErrors({ answer }: WithAnswer) {
  const columns: readonly Column[] = [
    { name: "Class" },
    { name: "Transitions", look: "w-28" },
    ...errorColumns(answer),
    { name: "Constants in use", look: "w-36", title: "Counted tokens × factor + this many more" },
    { name: "Fitted", look: "w-36", title: "Constants of a fit to all sessions" },
  ];
  return (
    <PlainTable label="Error and constants by class" width="min-w-290" columns={columns}>
      {answer.families.map((family) => (
        <ClassRows key={family.family} answer={answer} of={family} />
      ))}
    </PlainTable>
  );
}

type FamilyErrors = CalibrationAnswer["families"][number];

function ClassRows({ answer, of }: WithAnswer & { of: FamilyErrors }) {
  const columns = isAnyFitted(answer) ? 9 : 8;
  const { current, fitted } = of.perSignatureChar;
  return (
    <>
      <tr className={SUB}>
        <td colSpan={columns} className="pl-0!">
          <span className="font-medium">{FAMILY_WORDS[of.family]}</span>{" "}
          <span className="text-12 text-ink-3">{of.source}</span>
        </td>
      </tr>
      {answer.classes
        .filter(({ family }) => family === of.family)
        .toSorted((a, b) => b.transitions - a.transitions)
        .map((row) => (
          <tr key={row.itemClass} className={ROW}>
            <td className="pl-0!">{CLASS_WORDS[row.itemClass]}</td>
            <td className="num">{formatTokens(row.transitions)}</td>
            <ErrorCells row={row} answer={answer} isFitted={of.isFitted} />
            <td className="num">{formatWeighting(row.constants)}</td>
            <td className="num text-ink-2">
              {row.fittedConstants === null ? (
                <Absent why="Nothing to fit it to" />
              ) : (
                formatWeighting(row.fittedConstants)
              )}
            </td>
          </tr>
        ))}
      {current > 0 && (
        <tr className={ROW}>
          <td colSpan={columns - 2} className="pl-0! text-ink-2">
            Reasoning of which only the signature is in the file, tokens a character of it
          </td>
          <td className="num">{current}</td>
          <td className="num text-ink-2">{fitted ?? <Absent />}</td>
        </tr>
      )}
    </>
  );
}
