// Of each call what the file has, what its agent counts itself, and what that costs at list price.
import type { ReportedCall, ReportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import { formatCount, formatTokens, formatUsd } from "../ui/format.ts";

const HEADS = [
  ["File", "Prompt and output of this call in the file"],
  ["Agent", "What the agent reported of this call, or how much its own sum grew by"],
  ["List price", "What the agent's figure costs at list price"],
] as const;

/** Sentences before the rest is a count. */
const MOST = 3;

export const ReportedHeads = () =>
  HEADS.map(([name, title]) => (
    <th key={name} title={title} className="pl-3 text-right font-medium whitespace-nowrap">
      {name}
    </th>
  ));

export function ReportedCells({ call }: { call: ReportedCall | undefined }) {
  if (call === undefined)
    return HEADS.map(([name]) => (
      <td key={name} className="num pl-3 text-ink-3">
        –
      </td>
    ));
  const { usage, reported, listUsd, differs, calls } = call;
  const title = calls > 1 ? `Of ${calls} calls together` : undefined;
  return (
    <>
      <td className="num pl-3" title={title}>
        {formatTokens(tokensOf(usage))}
      </td>
      <td className={`num pl-3 ${differs ? "font-semibold text-ink" : ""}`} title={title}>
        {differs && "≠ "}
        {formatTokens(tokensOf(reported))}
      </td>
      <td className="num pl-3" title={title}>
        {listUsd === null ? "–" : formatUsd(listUsd)}
      </td>
    </>
  );
}

const tokensOf = ({ inputUncached, cacheRead, cacheWrite, output }: ReportedCall["usage"]): number =>
  inputUncached + cacheRead + cacheWrite + output;

export function ReportedNotes({ reported: { calls, differences, telemetry } }: { reported: ReportedCallsAnswer }) {
  const equal = calls.length - differences.length;
  return (
    <p className="mb-2 text-12 text-ink-2" data-testid="reported-calls">
      The agent counts {equal.toLocaleString("en-US")} of {formatCount(calls.length, "call")} as the file does (prompt
      and output). {differences.slice(0, MOST).join(" ")}
      {telemetry !== null &&
        ` ${formatCount(telemetry.requests, "call")} came over OpenTelemetry${unfiledWords(telemetry.unfiled)}.`}
      {differences.length > MOST && ` ${formatCount(differences.length - MOST, "other difference")}.`}
    </p>
  );
}

const unfiledWords = (unfiled: NonNullable<ReportedCallsAnswer["telemetry"]>["unfiled"]): string =>
  unfiled === null ? "" : `, ${unfiled.calls.toLocaleString("en-US")} of them in no file`;
