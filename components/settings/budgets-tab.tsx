"use client";
// What may be spent in a day or a month, or by a project; and what was spent of it.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { BUDGET_PERIODS, type BudgetPeriod } from "#lib/kernel/load/budgets.ts";
import { budgetsAnswer, type BudgetRequest, type BudgetRow } from "#lib/wire/budgets-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { send } from "../ui/api.ts";
import { Answered } from "../ui/answered.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Choice, Field, Options, TextInput } from "../ui/field.tsx";
import { formatPercent, formatUsd } from "../ui/format.ts";
import { LeastUsd } from "../ui/least-usd.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { showAnswer } from "../ui/show-answer.ts";
import { budgetsQuery, projectsQuery } from "./settings-queries.ts";

const PERIOD_WORDS: Readonly<Record<BudgetPeriod, string>> = { day: "Day", month: "Month", total: "Total" };

export function BudgetsTab() {
  const isNode = useIsNode();
  const listed = useQuery(budgetsQuery);
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: (request: BudgetRequest) => send("PUT", "/api/usage/budgets", budgetsAnswer, request),
    onSuccess: (answer) => showAnswer(queries, budgetsQuery.queryKey, answer),
  });
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        A budget that is spent to 80 % is shown on Sessions{isNode ? " and Usage" : ", Usage and in the status line"}.
      </p>
      <BudgetForm isSaving={saving.isPending} onSave={(request) => saving.mutateAsync(request)} />
      {saving.error !== null && (
        <div className="mt-3 max-w-180">
          <RequestFailure error={saving.error} title="The budget was not saved" />
        </div>
      )}
      <Answered query={listed} what="budgets" rows={2}>
        {({ budgets }) =>
          budgets.length === 0 ? (
            <Empty title="No budgets yet">Spend is shown without a limit.</Empty>
          ) : (
            <BudgetTable
              rows={budgets}
              onRemove={({ period, project }) => saving.mutate({ period, project, limitUsd: null })}
            />
          )
        }
      </Answered>
    </div>
  );
}

type FormProps = { isSaving: boolean; onSave: (request: BudgetRequest) => Promise<unknown> };

function BudgetForm({ isSaving, onSave }: FormProps) {
  const [period, setPeriod] = useState<BudgetPeriod>("day");
  const [project, setProject] = useState("");
  const [typed, setTyped] = useState("");
  const isNode = useIsNode();
  const { data: projects = [] } = useQuery(projectsQuery(isNode));
  const limitUsd = dollarsOf(typed);
  const isWrong = typed.trim() !== "" && limitUsd === null;
  const missing =
    limitUsd === null
      ? "Enter dollars first"
      : period === "total" && project === ""
        ? "Choose a project first: a total is of one"
        : null;
  return (
    <form
      aria-label="New budget"
      className="mt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing !== null) return;
        const request = { period, project: project === "" ? null : project, limitUsd };
        void onSave(request).then(
          () => setTyped(""),
          () => undefined,
        );
      }}
    >
      <h2 className="text-15 font-semibold">New budget</h2>
      <div className="mt-1 border-t border-line-strong">
        <Field
          label="Per"
          about={`Days and months begin at midnight on this ${isNode ? "node" : "machine"}. A total has no end.`}
        >
          {(props) => (
            <Choice {...props} value={period} onChange={(event) => setPeriod(event.target.value as BudgetPeriod)}>
              <Options values={BUDGET_PERIODS} labelOf={(one) => PERIOD_WORDS[one]} />
            </Choice>
          )}
        </Field>
        <Field label="Project" about={isNode ? "A project of the fleet." : "The folder that its sessions began in."}>
          {(props) => (
            <Choice {...props} value={project} onChange={(event) => setProject(event.target.value)}>
              <option value="">All projects</option>
              <Options values={projects} />
            </Choice>
          )}
        </Field>
        <Field
          label="Budget"
          unit="USD"
          about="At list price, as on Usage. Replaces the budget of the same period and project."
          wrong={isWrong ? "Dollars, like 20 or 12.50." : null}
        >
          {(props) => (
            <TextInput
              {...props}
              inputMode="decimal"
              placeholder="20"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      </div>
      <div className="mt-3">
        <Button type="submit" kind="primary" disabled={missing !== null || isSaving} title={missing ?? undefined}>
          Set budget
        </Button>
      </div>
    </form>
  );
}

/** Null where it is no amount. */
function dollarsOf(typed: string): number | null {
  const text = typed.trim().replace(/^\$/, "");
  const usd = /^\d{1,9}(?:\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  return usd > 0 ? usd : null;
}

const COLUMNS: readonly Column[] = [
  { name: "Project" },
  { name: "Per", look: "w-24", isText: true },
  { name: "Budget", look: "w-28" },
  { name: "Spent", look: "w-28" },
  { name: "Used", look: "w-20" },
  { name: "State", look: "w-32", isText: true },
  { name: "Actions", look: "w-28", isSilent: true },
];

function BudgetTable({ rows, onRemove }: { rows: readonly BudgetRow[]; onRemove: (row: BudgetRow) => void }) {
  return (
    <div className="mt-6">
      <h2 className="text-15 font-semibold">Budgets</h2>
      <PlainTable label="Budgets" width="min-w-180" columns={COLUMNS}>
        {rows.map((row) => (
          <tr key={`${row.period} ${row.project}`} className={ROW}>
            <td className="pl-0! font-medium" title={row.project ?? undefined}>
              {row.project === null ? "All projects" : <SafeText text={row.project} />}
            </td>
            <td>{PERIOD_WORDS[row.period]}</td>
            <td className="text-right tabular-nums">{formatUsd(row.limitUsd)}</td>
            <td className="text-right tabular-nums">
              <LeastUsd usd={row.usd} isPartial={row.isPartial} />
            </td>
            <td className="text-right tabular-nums">{formatPercent(row.share)}</td>
            <td>
              <Badge tone={row.state === "over" ? "error" : row.state === "near" ? "plain" : "quiet"}>
                {row.state}
              </Badge>
            </td>
            <td className="pr-0! text-right">
              <Button small onClick={() => onRemove(row)}>
                Remove
              </Button>
            </td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}
