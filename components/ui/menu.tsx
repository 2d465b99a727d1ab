"use client";
import { lazy, Suspense, useRef, useState, type ReactNode } from "react";
import type { MenuItem } from "./menu-item.ts";

type MenuProps = {
  /** What stands in the button; its classes come with it. */
  trigger: ReactNode;
  triggerClass: string;
  label: string;
  items: readonly MenuItem[];
  align?: "start" | "end";
};

// What floats, takes the keyboard and gives the focus back weighs 66 kB compressed, of the 250 that a page
// may send. It is fetched when a hand comes near.
const fetchLayer = () => import("./menu-layer.tsx").then((module) => ({ default: module.MenuLayer }));
const MenuLayer = lazy(fetchLayer);

export function Menu({ trigger, triggerClass, label, items, align = "start" }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  // Pressing the button of an open menu closes it as a press beside it; the click must not open it again.
  const wasOpen = useRef(false);
  const near = () => void fetchLayer();
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        className={triggerClass}
        onPointerEnter={near}
        onFocus={near}
        onPointerDown={() => {
          wasOpen.current = open;
        }}
        onKeyDown={(event) => {
          wasOpen.current = open;
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
        onClick={() => setOpen(!wasOpen.current)}
      >
        {trigger}
      </button>
      {open && (
        <Suspense>
          <MenuLayer anchor={button} label={label} items={items} align={align} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
