"use client";
import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ReactNode } from "react";

export type MenuItem = {
  readonly id: string;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Given: the item is a choice, with a check when it holds. */
  readonly checked?: boolean;
  /** The menu stays open, for several choices in a row. */
  readonly stays?: boolean;
  readonly onPick: () => void;
};

type MenuProps = {
  /** What stands in the button; its classes come with it. */
  trigger: ReactNode;
  triggerClass: string;
  label: string;
  items: readonly MenuItem[];
  align?: "start" | "end";
};

const ITEM =
  "flex h-7 cursor-default items-center gap-2 rounded-1 px-2 text-13 outline-none data-highlighted:bg-select data-disabled:text-ink-3";

export function Menu({ trigger, triggerClass, label, items, align = "start" }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className={triggerClass} aria-label={label}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50">
          <Base.Popup className="max-h-[min(420px,var(--available-height))] max-w-105 min-w-45 overflow-y-auto rounded-2 bg-raised p-1 shadow-float outline-none">
            {items.map((item) =>
              item.checked === undefined ? (
                <Base.Item key={item.id} className={ITEM} onClick={item.onPick}>
                  <MenuText item={item} />
                </Base.Item>
              ) : (
                <Base.CheckboxItem
                  key={item.id}
                  className={ITEM}
                  checked={item.checked}
                  closeOnClick={item.stays !== true}
                  onCheckedChange={item.onPick}
                >
                  <Check size={12} aria-hidden="true" className={item.checked ? "flex-none" : "invisible flex-none"} />
                  <MenuText item={item} />
                </Base.CheckboxItem>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function MenuText({ item }: { item: MenuItem }) {
  return (
    <>
      <span className="min-w-0 flex-1 truncate">{item.label}</span>
      {item.hint !== undefined && <span className="text-12 text-ink-3 tabular-nums">{item.hint}</span>}
    </>
  );
}
