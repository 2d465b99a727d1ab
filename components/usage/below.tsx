import type { ReactNode } from "react";

/** What stands below a head in the place of a table: a failure, bars while it loads, that there is nothing. */
export function Below({ children }: { children: ReactNode }) {
  return <div className="min-h-0 flex-1 overflow-auto px-6 py-2 max-md:px-4">{children}</div>;
}
