"use client";
import Link from "next/link";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { estimatedUsd } from "#lib/kernel/load/load-labels.ts";
import type { HomeAnswer, HomeFinding } from "#lib/wire/home-schema.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { findingNames } from "./finding-names.ts";
import { findingHref } from "./finding-words.ts";

/** What wastes most in all sessions, beside the spend of the week. */
export function TopFindings({ answer }: { answer: HomeAnswer }) {
  const { findings, findingsTotal, cameBack } = answer;
  const names = findingNames(findings);
  return (
    <div className="min-w-0 max-lg:col-span-full max-lg:mt-3">
      <div className="mb-1 flex items-baseline gap-3 border-b border-line-strong pb-1">
        <h2 className="flex-1 text-12 font-medium">Findings, all time</h2>
        {cameBack > 0 && (
          <Link className="text-12 text-ink-2 hover:underline" href="/findings?state=back">
            {cameBack} came back
          </Link>
        )}
        {findingsTotal > 0 && (
          <Link className="link text-12" href="/findings">
            All {findingsTotal}
          </Link>
        )}
      </div>
      {findings.length === 0 ? (
        <p className="text-12 text-ink-3">Nothing stands out.</p>
      ) : (
        <ul>
          {findings.map((row) => (
            <FindingLine key={row.id} row={row} name={names.get(row.id) ?? row.subject} />
          ))}
        </ul>
      )}
    </div>
  );
}

function FindingLine({ row, name }: { row: HomeFinding; name: string }) {
  return (
    <li className="border-b border-line py-1 last:border-0">
      <Link
        prefetch={false}
        href={findingHref(row.id)}
        className="flex items-baseline gap-3 hover:underline"
        title={shownText(row.subject)}
      >
        <span className="min-w-0 flex-1 truncate font-medium">
          <SafeText text={name} />
        </span>
        <span className="flex-none text-12 text-ink-3 tabular-nums">{row.count}×</span>
        <span className="flex-none tabular-nums">{estimatedUsd(row.usd, row.isPartial) ?? "–"}</span>
      </Link>
      <p className="truncate text-12 text-ink-3">
        <SafeText text={row.fix} />
      </p>
    </li>
  );
}
