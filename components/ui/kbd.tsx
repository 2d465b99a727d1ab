import type { ReactNode } from "react";

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="flex-none rounded-1 border border-line bg-sunk px-1 text-11 text-ink-3">{children}</kbd>;
}
