"use client";
import type { ModelsAnswer } from "#lib/wire/settings.ts";
import { Button } from "../ui/button.tsx";
import { formatTokens } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { FIELD_WORDS, formatRate, PRICE_FIELDS } from "./model-words.ts";

type OverrideTableProps = {
  overrides: ModelsAnswer["overrides"];
  isBusy: boolean;
  onEdit: (at: number) => void;
  onRemove: (at: number) => void;
};

/** What a person set. */
export function OverrideTable({ overrides, isBusy, onEdit, onRemove }: OverrideTableProps) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full min-w-300 table-fixed border-separate border-spacing-0" aria-label="Set by you">
        <thead>
          <tr className="[&>th]:h-7 [&>th]:border-b [&>th]:border-line-strong [&>th]:px-2 [&>th]:text-right [&>th]:text-12 [&>th]:font-medium [&>th]:text-ink-3">
            <th scope="col" className="pl-0! text-left!">
              For models
            </th>
            <th scope="col" className="text-left!">
              In
            </th>
            <th scope="col" className="w-28">
              Window
            </th>
            {PRICE_FIELDS.map((field) => (
              <th key={field} scope="col" className="w-30">
                {FIELD_WORDS[field].label} $/M
              </th>
            ))}
            <th scope="col" className="w-24" title="Sessions here that it fits">
              Sessions
            </th>
            <th scope="col" className="w-36">
              <span className="sr-only">Change it</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {overrides.map(({ override, sessions }, at) => (
            <tr
              key={`${override.match}\0${override.project}`}
              className="[&>td]:h-8 [&>td]:truncate [&>td]:border-b [&>td]:border-line [&>td]:px-2 hover:[&>td]:bg-sunk"
            >
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
        </tbody>
      </table>
    </div>
  );
}
