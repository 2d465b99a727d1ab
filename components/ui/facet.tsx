"use client";
import { ChevronDown } from "lucide-react";
import { chipClass, ClearChip } from "./chip.tsx";
import { formatTokens } from "./format.ts";
import type { MenuItem } from "./menu-item.ts";
import { Menu } from "./menu.tsx";
import { SafeText } from "./safe-text.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";

type FacetProps = {
  name: string;
  value: string | null;
  options: readonly { readonly value: string; readonly label: string; readonly count?: number }[];
  onPick: (value: string | null) => void;
};

/** One of the values that the archive holds, or any. */
export function Facet({ name, value, options, onPick }: FacetProps) {
  const chosen = options.find((option) => option.value === value)?.label ?? value;
  const items: MenuItem[] = [
    { id: "any", label: "any", checked: value === null, onPick: () => onPick(null) },
    ...options.map((option) => ({
      id: `=${option.value}`,
      label: (
        <span title={shownText(option.value)}>
          <SafeText text={option.label} />
        </span>
      ),
      hint: option.count === undefined ? undefined : formatTokens(option.count),
      checked: option.value === value,
      onPick: () => onPick(option.value === value ? null : option.value),
    })),
  ];
  return (
    <span className={`inline-flex flex-none items-center rounded-1 ${value === null ? "" : "bg-select"}`}>
      <Menu
        label={`${name}: ${shownText(chosen ?? "any")}`}
        triggerClass={chipClass(value !== null)}
        trigger={
          <>
            {name}
            <span className="max-w-50 truncate font-normal text-ink-3" data-any={value === null ? "" : undefined}>
              <SafeText text={chosen ?? "any"} />
            </span>
            {value === null && <ChevronDown size={11} aria-hidden="true" className="text-ink-3" />}
          </>
        }
        items={items}
      />
      {value !== null && <ClearChip label={`Any ${name.toLowerCase()}`} onClear={() => onPick(null)} />}
    </span>
  );
}
