"use client";
import { useQuery } from "@tanstack/react-query";
import { PRESETS, PRESET_NAMES, type PresetName } from "#lib/kernel/artifacts/offload-presets.ts";
import type { PresetsAnswer } from "#lib/wire/settings-schema.ts";
import type { PresetSavings } from "#lib/wire/preset-savings-schema.ts";
import { failureOf } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { formatBytes, formatCount, formatPercent, formatTokens } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { PlainTable, type Column } from "../ui/plain-table.tsx";
import { SavedCells, SavingsLine } from "./preset-savings.tsx";
import { limitWords, PRESET_WORDS } from "./policy-words.ts";
import { presetsQuery, savingsQuery } from "./settings-queries.ts";

const COLUMNS: readonly Column[] = [
  { name: "Preset", look: "w-38" },
  { name: "What it is", look: "max-xl:hidden", isText: true },
  { name: "Limit", look: "w-34" },
  { name: "Headroom", look: "w-20 max-lg:hidden" },
  { name: "Envelope", look: "w-24 max-lg:hidden", isText: true },
  { name: "Offloaded", look: "w-26" },
  { name: "Tokens saved", look: "w-28" },
  { name: "Cost saved", look: "w-21" },
  { name: "Half read back", look: "w-26 max-lg:hidden", title: "Tokens saved when half is read back" },
  {
    name: "Stay under line",
    look: "w-27 pr-0!",
    title: "Sessions that reached their load line and would not have",
  },
];

type PresetTableProps = { picked: PresetName; saved: PresetName; onPick: (preset: PresetName) => void };

/** The presets, with what each would have done to the outputs that are here. */
export function PresetTable({ picked, saved, onPick }: PresetTableProps) {
  const tried = useQuery(presetsQuery);
  const savings = useQuery(savingsQuery);
  return (
    <fieldset className="mt-4 min-w-0">
      <legend className="sr-only">Preset</legend>
      <PlainTable label="Presets" width="min-w-170" columns={COLUMNS}>
        {PRESET_NAMES.map((preset) => (
          <PresetRow
            key={preset}
            preset={preset}
            isPicked={preset === picked}
            isSaved={preset === saved}
            tried={tried.data}
            savings={savings.data?.answer ?? null}
            onPick={() => onPick(preset)}
          />
        ))}
      </PlainTable>
      {savings.data ? <SavingsLine run={savings.data} /> : <div className="mt-2 h-7" />}
      {savings.error !== null && <p className="mt-2 text-12 text-ink-3">{failureOf(savings.error).message}</p>}
      <p className="mt-1 text-12 text-ink-3">
        {tried.data === undefined
          ? tried.error === null
            ? "Trying the presets on the sessions that are here…"
            : "The presets could not be tried on the sessions that are here."
          : triedWords(tried.data)}
      </p>
    </fieldset>
  );
}

type PresetRowProps = {
  preset: PresetName;
  isPicked: boolean;
  isSaved: boolean;
  tried: PresetsAnswer | undefined;
  savings: PresetSavings | null;
  onPick: () => void;
};

function PresetRow({ preset, isPicked, isSaved, tried, savings, onPick }: PresetRowProps) {
  const policy = PRESETS[preset];
  const one = tried?.presets.find((row) => row.preset === preset);
  const hasOutputs = tried !== undefined && tried.outputs > 0;
  return (
    <tr
      className={`group [&>td]:h-8 [&>td]:truncate [&>td]:border-b [&>td]:border-line [&>td]:px-2 ${isPicked ? "bg-select" : "hover:bg-sunk"}`}
    >
      <td className="pl-0!">
        <label className="flex items-center gap-2 pl-1">
          <input
            type="radio"
            name="preset"
            value={preset}
            checked={isPicked}
            onChange={onPick}
            className="size-3.5 flex-none accent-ink"
          />
          <span className="font-medium">{preset}</span>
          {isSaved && <Badge title="It decides for new sessions now">default</Badge>}
        </label>
      </td>
      <td className="text-12 text-ink-3 max-xl:hidden" title={PRESET_WORDS[preset]}>
        {PRESET_WORDS[preset]}
      </td>
      <td className="num">{limitWords(policy)}</td>
      <td className="num text-ink-2 max-lg:hidden">
        {policy.headroom_percentage < 1 && policy.enabled !== false ? (
          formatPercent(policy.headroom_percentage)
        ) : (
          <Absent why="It does not look at how full the context is" />
        )}
      </td>
      <td className="text-ink-2 max-lg:hidden">{policy.enabled === false ? <Absent /> : policy.envelope_style}</td>
      <td className="num">
        {one === undefined || !hasOutputs ? (
          <Absent why="No outputs to try it on" />
        ) : (
          <>
            {formatTokens(one.offloaded)}{" "}
            <span className="inline-block w-11 text-ink-3">
              {one.offloaded > 0 && formatPercent(one.offloaded / tried.outputs)}
            </span>
          </>
        )}
      </td>
      <SavedCells preset={preset} savings={savings} />
    </tr>
  );
}

function triedWords({ outputs, sessions, bytes, isCapped }: PresetsAnswer): string {
  if (outputs === 0) return "No session was imported yet that the presets could be tried on.";
  return `Offloaded: of ${isCapped ? "the newest " : ""}${formatCount(outputs, "tool output")} of ${formatCount(sessions, "imported session")}, ${formatBytes(bytes)}.`;
}
