"use client";
// The outputs that weighed most over the whole session: for sessions in which nobody is to blame.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { HeavyOutput } from "#lib/wire/sessions-schema.ts";
import { heaviestQuery, rawArtifactPath, rawEventPath } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes } from "../ui/format.ts";
import { columnNames } from "../ui/column-names.ts";
import { Loading } from "../ui/loading.tsx";
import { Absent, Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { withoutTool } from "../shared/ledger-view.ts";

/** A session's tenth output is on the median 2 % of its load. */
const ROWS = 10;

const COLUMNS = [
  ["", "w-8", ""],
  ["Output", "", ""],
  ["At call", "w-20 num", "The first model call that was sent it"],
  ["Tokens", "w-24 num", "Tokens in one prompt"],
  ["Sent", "w-16 num", "How many model calls were sent it"],
  ["Lifetime", "w-24 num", "Tokens × calls"],
  ["Size", "w-20 num", "Output bytes"],
  ["", "w-24 num", ""],
] as const;

export function Heaviest({ onOpen }: { onOpen: (seq: number) => void }) {
  const { id } = useSession();
  const heaviest = useQuery(heaviestQuery(id));
  if (heaviest.error) {
    return <RequestFailure error={heaviest.error} title="The heaviest outputs could not be worked out" />;
  }
  if (!heaviest.data) return <Loading rows={6} height={28} label="Weighing the outputs" />;
  if (heaviest.data.length === 0) return <p className="mt-2 text-ink-3">No tool of this session returned anything.</p>;
  return (
    <div className="relative overflow-x-auto">
      <table
        className="stacks mt-1 w-full min-w-180 table-fixed"
        style={columnNames(COLUMNS.map(([name], at) => (at < 2 ? "" : name)))}
      >
        <thead>
          <tr className="border-b border-line-strong text-12 text-ink-3">
            {COLUMNS.map(([name, width, title], i) => (
              <th
                // oxlint-disable-next-line react/no-array-index-key -- the columns never move
                key={i}
                scope="col"
                title={title}
                className={`h-6.5 px-2 font-medium whitespace-nowrap ${width} ${width.includes("num") ? "" : "text-left"}`}
              >
                {name === "" ? <span className="sr-only">{i === 0 ? "Rank" : "Download"}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {heaviest.data.slice(0, ROWS).map((item, rank) => (
            <HeavyRow key={item.seq} item={item} rank={rank + 1} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeavyRowProps = { item: HeavyOutput; rank: number; onOpen: (seq: number) => void };

function HeavyRow({ item, rank, onOpen }: HeavyRowProps) {
  const { id } = useSession();
  const [isBusy, setBusy] = useState(false);
  return (
    <tr className="h-7 border-b border-line hover:bg-sunk" aria-busy={isBusy || undefined}>
      <td className="px-2 text-12 text-ink-3">{rank}</td>
      <td className="px-2">
        <button
          type="button"
          className="flex max-w-full items-center gap-2 text-left hover:underline"
          title={`Open event ${item.seq} in the transcript`}
          onClick={() => {
            setBusy(true);
            onOpen(item.callSeq ?? item.seq);
          }}
        >
          <Swatch category="result" />
          <span className="max-w-1/2 flex-none truncate text-ink-2">
            <SafeText text={item.toolName} />
          </span>
          <span className="mono min-w-0 truncate">
            <SafeText text={withoutTool(item.label, item.toolName)} />
          </span>
        </button>
      </td>
      <td className="num px-2">
        {item.callsResident === 0 ? <Absent why="No model call was sent it" /> : item.enteredAt.toLocaleString("en-US")}
      </td>
      <td className="num px-2">
        <Num value={item.tokens} origin={item.origin} textTokens={item.textTokens} />
      </td>
      <td className="num px-2">{item.callsResident.toLocaleString("en-US")}×</td>
      <td className="num px-2 font-medium">
        <Num value={item.lifetimeTokens} origin={item.origin} short />
      </td>
      <td className="num px-2 text-ink-2">{formatBytes(item.bytes)}</td>
      <td className="num px-2">
        <a
          className="link text-12"
          href={item.artifact === null ? rawEventPath(id, item.seq) : rawArtifactPath(item.artifact)}
          download
          title={item.artifact === null ? "Its record" : "The output, byte for byte"}
        >
          Download
        </a>
      </td>
    </tr>
  );
}
