"use client";
// What the hidden prefix may hold: learned from another session's requests, marked, and added to nothing.
import Link from "next/link";
import type { InferredPrefixRow } from "#lib/wire/ledger-schema.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";

const KINDS: Record<InferredPrefixRow["parts"][number]["kind"], string> = {
  system: "System prompt",
  tool: "Tool",
};

export function InferredParts({ inferred }: { inferred: InferredPrefixRow }) {
  const { parts, known, tokens } = inferred;
  return (
    <details className="mt-1 text-12 text-ink-2" data-testid="inferred-parts">
      <summary className="w-fit cursor-pointer hover:text-ink">
        Hidden prefix, ~{formatTokens(known)} tokens: {formatCount(parts.length, "inferred part")}
      </summary>
      <p className="mt-1">
        Inferred from <Source from={inferred.from} />. No sum includes them.
      </p>
      <table className="mt-1 w-full max-w-140 table-fixed" aria-label="Inferred parts of the hidden prefix">
        <thead>
          <tr className="border-b border-line-strong text-ink-3">
            <th scope="col" className="text-left font-medium">
              Part
            </th>
            <th scope="col" className="w-30 px-2 text-left font-medium">
              Kind
            </th>
            <th scope="col" className="num w-24 px-2 font-medium">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ kind, name, tokens: weight }) => (
            <tr key={`${kind} ${name}`} className="h-6 border-b border-line">
              <th scope="row" className="truncate text-left font-normal" title={name}>
                <SafeText text={name} />
              </th>
              <td className="px-2">{KINDS[kind]}</td>
              <td className="num px-2">
                <Inferred tokens={weight} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="h-6">
            <th scope="row" colSpan={2} className="text-left font-normal text-ink-3">
              {tokens > known
                ? `${formatTokens(tokens - known)} more than the hidden prefix: not all of them can have been sent.`
                : `${formatTokens(known - tokens)} of the hidden prefix are not explained by them.`}
            </th>
            <td className="num px-2">
              <Inferred tokens={tokens} />
            </td>
          </tr>
        </tfoot>
      </table>
    </details>
  );
}

function Source({ from }: Pick<InferredPrefixRow, "from">) {
  if (from.isOwn) return "this session's own later requests";
  return (
    <>
      <Link prefetch={false} href={`/sessions/${from.session}`} className="link underline">
        <SafeText text={from.title === "" ? "Untitled" : from.title} />
      </Link>
      , a session of {from.isSameVersion ? "the same version" : `version ${from.version ?? "unknown"}`}
    </>
  );
}

/** As estimated numbers carry a tilde, inferred ones carry a question mark. */
function Inferred({ tokens }: { tokens: number }) {
  return (
    <span title={`${formatTokens(tokens)} tokens, inferred from another session's request`} data-origin="inferred">
      <span className="font-normal text-ink-3">?</span>
      {formatTokens(tokens)}
      <span className="sr-only"> inferred</span>
    </span>
  );
}
