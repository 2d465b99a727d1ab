"use client";
import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { RefObject } from "react";
import type { MenuItem } from "./menu-item.ts";

type MenuLayerProps = {
  anchor: RefObject<HTMLButtonElement | null>;
  label: string;
  items: readonly MenuItem[];
  align: "start" | "end";
  onClose: () => void;
};

const ITEM =
  "flex h-7 cursor-default items-center gap-2 rounded-1 px-2 text-13 outline-none data-highlighted:bg-select data-disabled:text-ink-3";

/** The open menu. Arrows move, letters jump, Escape closes and gives the focus back. */
export function MenuLayer({ anchor, label, items, align, onClose }: MenuLayerProps) {
  return (
    <Base.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={4} align={align} className="z-50">
          <Base.Popup
            aria-label={label}
            finalFocus={anchor}
            className="max-h-[min(420px,var(--available-height))] max-w-105 min-w-45 overflow-y-auto rounded-2 bg-raised p-1 shadow-float outline-none"
          >
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
