"use client";
import { PRICE_FIELDS } from "#lib/kernel/load/overrides.ts";
import type { ModelsAnswer } from "#lib/wire/settings-schema.ts";
import { Button } from "../ui/button.tsx";
import { formatTokens } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { FIELD_WORDS, formatRate } from "./model-words.ts";
import { PlainTable, ROW, type Column } from "./plain-table.tsx";

const COLUMNS: readonly Column[] = [
  { name: "For models" },
  { name: "In", isText: true },
  { name: "Window", look: "w-28" },
  ...PRICE_FIELDS.map((field) => ({ name: `${FIELD_WORDS[field].label} $/M`, look: "w-30" })),
  { name: "Sessions", look: "w-24", title: "Sessions here that it fits" },
  { name: "Change it", look: "w-36", isSilent: true },
];

type OverrideTableProps = {
  overrides: ModelsAnswer["overrides"];
  isBusy: boolean;
  onEdit: (at: number) => void;
  onRemove: (at: number) => void;
};

/** What a person set. */
export function OverrideTable({ overrides, isBusy, onEdit, onRemove }: OverrideTableProps) {
  return (
    <PlainTable label="Set by you" width="min-w-330" columns={COLUMNS}>
      {overrides.map(({ override, sessions }, at) => (
        <tr key={`${override.match}\0${override.project}`} className={ROW}>
          <td className="mono pl-0!" title={override.match}>
            <SafeText text={override.match} />
          </td>
          <td title={override.project ?? undefined}>
            {override.project === null ? (
              "all projects"
            ) : (
              <span className="mono">
                <SafeText text={override.project} />
              </span>
            )}
          </td>
          <td className="num">{override.window === null ? <Absent /> : formatTokens(override.window)}</td>
          {PRICE_FIELDS.map((field) => (
            <td key={field} className="num">
              {override[field] === null ? <Absent /> : formatRate(override[field])}
            </td>
          ))}
          <td className="num">{formatTokens(sessions)}</td>
          <td className="pr-0! text-right">
            <span className="inline-flex gap-2">
              <Button small onClick={() => onEdit(at)} aria-label={`Edit what is set for ${override.match}`}>
                Edit…
              </Button>
              <Button
                small
                disabled={isBusy}
                title={isBusy ? "The last change is being saved" : undefined}
                onClick={() => onRemove(at)}
                aria-label={`Remove what is set for ${override.match}`}
              >
                Remove
              </Button>
            </span>
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}
