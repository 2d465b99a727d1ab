"use client";
// What the file's calls add up to, what the agent counts itself, and what that costs at list price.
import { reportedNotes } from "#lib/kernel/load/cost-words.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import { formatTokens, formatUsd } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";

const ROWS = [
  ["Uncached input", "inputUncached"],
  ["Cache read", "cacheRead"],
  ["Cache write", "cacheWrite"],
  ["Output", "output"],
] as const;

const COLUMNS = [
  ["File's calls", "Calls of this session and its sub-agents"],
  ["Agent reported", "The agent's own totals"],
  ["List price", "Reported tokens at list price"],
] as const;

export function ReportedSpend({ cost }: { cost: Cost }) {
  const { reported } = cost;
  if (reported === null) return null;
  const { calls, usage, list } = reported;
  // Some agents count dollars alone.
  const countsTokens = ROWS.some(([, field]) => usage[field] > 0);
  return (
    <details className="mt-1 text-12 text-ink-2">
      <summary>Cost: file, agent and list price</summary>
      <table className="mt-1">
        <thead>
          <tr className="border-b border-line-strong text-ink-3">
            <th scope="col" className="text-left font-medium">
              Tokens
            </th>
            {COLUMNS.map(([name, title]) => (
              <th key={name} scope="col" title={title} className="num h-6.5 px-2 font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([name, field]) => (
            <Row
              key={name}
              name={name}
              values={[
                formatTokens(calls.usage[field]),
                countsTokens ? formatTokens(usage[field]) : null,
                usdOf(list[field]),
              ]}
            />
          ))}
          <Row name="Dollars" values={[calls.usd, reported.usd, reported.listUsd].map(usdOf)} />
        </tbody>
      </table>
      <ul className="mt-1">
        {reportedNotes(cost).map((note) => (
          <li key={note}>
            <SafeText text={note} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const usdOf = (usd: number | null): string | null => (usd === null ? null : formatUsd(usd));

function Row({ name, values }: { name: string; values: readonly (string | null)[] }) {
  return (
    <tr>
      <th scope="row" className="h-6 pr-4 text-left font-normal whitespace-nowrap">
        {name}
      </th>
      {values.map((value, at) => (
        <td key={COLUMNS[at]![0]} className="num px-2">
          {value ?? "–"}
        </td>
      ))}
    </tr>
  );
}
