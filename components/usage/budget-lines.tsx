// Budgets and what was spent of them, a line each: over the list of sessions those that are near their end, on the usage page all.
import Link from "next/link";
import { budgetWords } from "#lib/kernel/load/budgets.ts";
import type { BudgetRow } from "#lib/wire/budgets-schema.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { Badge } from "../ui/badge.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { groupName } from "./usage-series.ts";

export function BudgetLines({ budgets, className }: { budgets: readonly BudgetRow[]; className: string }) {
  const seesAll = useSeesAll();
  if (budgets.length === 0) return null;
  return (
    <section aria-label="Budgets" className={`flex flex-none flex-wrap items-baseline gap-x-6 gap-y-1 ${className}`}>
      {budgets.map((row) => (
        <p key={`${row.period} ${row.project}`} className="text-ink-2" title={row.project ?? "All projects"}>
          {row.state !== "under" && (
            <>
              <Badge tone={row.state === "over" ? "error" : "plain"}>
                {row.state === "over" ? "over budget" : "near budget"}
              </Badge>{" "}
            </>
          )}
          <b className="font-semibold text-ink">
            {row.project === null ? "All projects" : <SafeText text={groupName(row.project, "project")} />}
          </b>{" "}
          {budgetWords(row)}
        </p>
      ))}
      {seesAll && (
        <Link className="link text-12" href="/settings?tab=budgets">
          Budgets
        </Link>
      )}
    </section>
  );
}
