"use client";
// Who read outside their own projects, and who deleted or changed what: the newest first, page by page.
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useDeferredValue } from "react";
import { AUDIT_ACTIONS, auditAnswer, type AuditRow } from "#lib/wire/fleet-people-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Facet } from "../ui/facet.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { whenTyped } from "../ui/typed.ts";
import { When } from "../ui/when.tsx";
import { AuditFiles } from "./audit-files.tsx";
import { useProjectNames } from "./fleet-queries.ts";
import { AUDIT_DAYS, auditParsers, auditQuestion, isNarrowed, NO_AUDIT_FILTER } from "./fleet-state.ts";
import { ACTION_WORDS, actionWords, whoWords } from "./fleet-labels.ts";

const ROWS = 100;
/** What is of no single project. */
const EVERY = "*";
const projectWords = (project: string): string => (project === EVERY ? "all projects" : project);

export function AuditTab() {
  const [choices, choose] = useQueryStates(auditParsers, { history: "push" });
  const projects = useProjectNames();
  const who = useDeferredValue(choices.who);
  const question = auditQuestion({ ...choices, who });
  const log = useInfiniteQuery({
    queryKey: ["fleet", "audit", question],
    queryFn: ({ pageParam, signal }) =>
      api(withQuery("/api/fleet/audit", { ...question, limit: ROWS, before: pageParam }), auditAnswer, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ rows }) => (rows.length < ROWS ? undefined : rows.at(-1)?.at),
    staleTime: 0,
  });
  const rows = log.data?.pages.flatMap((page) => page.rows) ?? [];
  const hasFilter = isNarrowed(choices);
  return (
    <div className="pb-8">
      <p className="max-w-180 text-ink-2">
        Reads by admins without a role in the project, deletions, and changes of roles, tokens and limits.
      </p>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-2 py-3">
        <SearchField
          label="Search for a person or token"
          group="Fleet"
          value={choices.who}
          onChange={(who) => void choose({ who }, whenTyped(who))}
          found={null}
        />
        <Facet
          name="Project"
          value={choices.project}
          options={[...projects, EVERY].map((value) => ({ value, label: projectWords(value) }))}
          onPick={(project) => void choose({ project })}
        />
        <Facet
          name="Action"
          value={choices.action}
          options={AUDIT_ACTIONS.map((value) => ({ value, label: ACTION_WORDS[value] }))}
          onPick={(next) => void choose({ action: AUDIT_ACTIONS.find((one) => one === next) ?? null })}
        />
        <Facet
          name="Time"
          value={choices.days}
          options={AUDIT_DAYS.map((value) => ({ value, label: `last ${formatCount(Number(value), "day")}` }))}
          onPick={(next) => void choose({ days: AUDIT_DAYS.find((one) => one === next) ?? null })}
        />
        {hasFilter && (
          <Button kind="quiet" small onClick={() => void choose(NO_AUDIT_FILTER)}>
            Clear
          </Button>
        )}
        <span className="flex-1" />
        <AuditFiles question={question} isEmpty={rows.length === 0} />
      </div>
      {log.error && (
        <RequestFailure
          error={log.error}
          title="The audit log could not be read"
          action={<Button onClick={() => void log.refetch()}>Try again</Button>}
        />
      )}
      {log.data === undefined ? (
        !log.error && <Loading rows={10} label="Loading the audit log" />
      ) : rows.length === 0 ? (
        hasFilter ? (
          <Empty
            title="No rows for these filters"
            actions={<Button onClick={() => void choose(NO_AUDIT_FILTER)}>Clear the filters</Button>}
          >
            Looked at the rows of every project that you manage.
          </Empty>
        ) : (
          <Empty title="No rows yet">
            An admin who opens a session without a role in its project, or deletes one, leaves a row.
          </Empty>
        )
      ) : (
        <>
          <AuditTable rows={rows} />
          <p className="pt-3 text-12 text-ink-3" aria-live="polite">
            {formatCount(rows.length, "row")}
            {log.hasNextPage ? " so far." : ", all of them."}{" "}
            {log.hasNextPage && (
              <Button small disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                Show older
              </Button>
            )}
          </p>
        </>
      )}
    </div>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "When", look: "w-40", isText: true },
  { name: "Who", look: "w-52", isText: true },
  { name: "Did", look: "w-32", isText: true },
  { name: "Project", look: "w-32", isText: true },
  { name: "What", isText: true },
  { name: "From", look: "w-36", isText: true },
];

function AuditTable({ rows }: { rows: readonly AuditRow[] }) {
  return (
    <PlainTable label="Audit log" width="min-w-240" columns={COLUMNS}>
      {rows.map((row) => (
        <tr key={`${row.at} ${row.who} ${row.detail}`} className={ROW}>
          <td className="pl-0! tabular-nums">
            <When ts={row.at} />
          </td>
          <td className="font-medium" title={row.who}>
            <SafeText text={whoWords(row.who)} />
          </td>
          <td>
            <SafeText text={actionWords(row.action)} />
          </td>
          <td>
            <SafeText text={projectWords(row.project)} />
          </td>
          <td title={row.detail}>
            {row.session !== null && (
              <Link className="link mono" href={`/sessions/${encodeURIComponent(row.session)}`}>
                <SafeText text={row.session} />
              </Link>
            )}{" "}
            <span className="text-ink-2">
              <SafeText text={row.detail} />
            </span>
          </td>
          <td className="mono text-ink-3" title={row.address}>
            <SafeText text={row.address} />
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}
