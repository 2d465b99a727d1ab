"use client";
import { ArrowDown, ArrowUp } from "lucide-react";

type SortButtonProps = {
  name: string;
  /** The order in which this column's values stand now; null when another column says it. */
  dir: "asc" | "desc" | null;
  /** Numbers stand at the right. */
  number?: boolean | undefined;
  /** The gap between the columns, which the button takes in. */
  padding?: string;
  onSort: () => void;
};

/** The whole head of a column sorts by it, its gaps too; the arrow says the order that holds. */
export function SortButton({ name, dir, number = false, padding = "px-2", onSort }: SortButtonProps) {
  const Icon = dir === "asc" ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={onSort}
      className={`flex h-full w-full items-center gap-0.5 font-medium hover:text-ink focus-visible:-outline-offset-2 ${padding} ${number ? "justify-end" : "justify-start"}`}
    >
      <span className="truncate">{name}</span>
      {dir !== null && <Icon size={11} aria-hidden="true" className="flex-none" />}
    </button>
  );
}
