"use client";
import { PRICE_FIELDS } from "#lib/kernel/load/overrides.ts";
import { isOfPlan, OF_PLANS } from "#lib/kernel/load/plan-models.ts";
import type { ModelRow, Sourced } from "#lib/wire/settings-schema.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { LeastUsd } from "../ui/least-usd.tsx";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { FIELD_WORDS, formatRate, lineWords } from "./model-words.ts";
import { PlainTable, type Column } from "../ui/plain-table.tsx";

/** As wide as their names. All columns have their room at 1280 px. */
const PRICE_WIDTHS = { uncached: "w-20", read: "w-28", write: "w-28", write1h: "w-29", output: "w-22" } as const;

const COLUMNS: readonly Column[] = [
  { name: "Model" },
  { name: "Window", look: "w-24" },
  { name: "Load line of its sessions", look: "w-60" },
  ...PRICE_FIELDS.map((field) => ({
    name: `${FIELD_WORDS[field].label} $/M`,
    look: PRICE_WIDTHS[field],
    title: `${FIELD_WORDS[field].about} Dollars a million tokens.`,
  })),
  { name: "Cost here", look: "w-35" },
  { name: "Set its numbers", look: "w-16", isSilent: true },
];

type ModelTableProps = { models: readonly ModelRow[]; onSet: (model: ModelRow) => void };

/** Every model that was called here: what it has and costs, and who says so. */
export function ModelTable({ models, onSet }: ModelTableProps) {
  return (
    <PlainTable label="Models" width="min-w-308" columns={COLUMNS}>
      {models.map((model) => (
        <Row key={model.model} model={model} onSet={() => onSet(model)} />
      ))}
    </PlainTable>
  );
}

function Row({ model, onSet }: { model: ModelRow; onSet: () => void }) {
  return (
    <tr className="[&>td]:border-b [&>td]:border-line [&>td]:px-2 [&>td]:py-1.5 [&>td]:align-top hover:[&>td]:bg-sunk">
      <td className="truncate pl-0!">
        <span className="font-medium" title={model.model}>
          <SafeText text={model.model} />
        </span>
        <span className="block text-12 text-ink-3">
          {formatCount(model.sessions, "session")}, {formatCount(model.calls, "call")}
        </span>
      </td>
      <td className="num">
        <Value
          {...model.window}
          format={formatTokens}
          why={isOfPlan(model.model) ? OF_PLANS : "The price table does not know this model"}
        />
      </td>
      <td className="num">
        {model.lines.length === 0 ? (
          <Absent why="No session has it as its model" />
        ) : (
          model.lines.map((line) => {
            const { range, says } = lineWords(line, model);
            return (
              <span key={line.by} className="mb-1 block last:mb-0">
                {range}
                <span className="block text-12 text-ink-3">{says}</span>
              </span>
            );
          })
        )}
      </td>
      {PRICE_FIELDS.map((field) => (
        <td key={field} className="num">
          <Value
            {...model.rates[field]}
            format={formatRate}
            why={isOfPlan(model.model) ? OF_PLANS : "The price table does not know this model"}
          />
        </td>
      ))}
      <td className="num">
        <LeastUsd usd={model.usd} isPartial={model.atLeast.length > 0} why={model.atLeast.join(" ") || undefined} />
        <span className="block text-12 text-ink-3">
          {model.unpriced > 0
            ? `${formatCount(model.unpriced, "call")} unpriced`
            : model.isTiered
              ? "more for long prompts"
              : ""}
        </span>
      </td>
      <td className="pr-0! text-right">
        <Button small onClick={onSet} aria-label={`Set the numbers of ${model.model}`}>
          Set…
        </Button>
      </td>
    </tr>
  );
}

type ValueProps = Sourced & { format: (value: number) => string; why: string };

function Value({ value, from, format, why }: ValueProps) {
  if (value === null) return <Absent why={why} />;
  if (from === "table") return <span title="From the price table">{format(value)}</span>;
  if (from === "derived")
    return (
      <>
        <span title="The price table has none">{format(value)}</span>
        <span className="block text-12 text-ink-3">2 × input</span>
      </>
    );
  return (
    <>
      <span className="font-semibold">{format(value)}</span>
      <span className="block text-12 text-ink-3">set by you</span>
    </>
  );
}
