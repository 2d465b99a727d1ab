"use client";
// What wastes most in all sessions: one row a finding, one thing to do, and what a person did about it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { useHasSessions } from "../shared/server-status.ts";
import { estimatedUsd } from "#lib/kernel/load/load-labels.ts";
import { FINDING_KINDS } from "#lib/kernel/load/culprits/finding-kinds.ts";
import {
  findingPath,
  findingRow,
  findingsAnswer,
  type FindingRow,
  type FindingsAnswer,
} from "#lib/wire/findings-schema.ts";
import { api, send, withQuery } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { DataTable, type DataColumn } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Facet } from "../ui/facet.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { LeastUsd } from "../ui/least-usd.tsx";
import { Absent } from "../ui/num.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { usePages } from "../ui/use-pages.ts";
import { When } from "../ui/when.tsx";
import { Below } from "./below.tsx";
import { FindingDetail } from "./finding-detail.tsx";
import { findingNames } from "./finding-names.ts";
import { NoSessionsYet } from "../shared/no-sessions-yet.tsx";
import { MarkButtons, type FindingMark } from "./mark-buttons.tsx";
import { KIND_WORDS, STATE_WORDS, waitingWords } from "./finding-words.ts";

const SHOWN = ["open", "back", "done", "muted", "all"] as const;
const SHOWN_WORDS = { ...STATE_WORDS, back: "Came back", open: "Open", done: "Done", muted: "Muted", all: "All" };

const parsers = {
  state: parseAsStringLiteral(SHOWN).withDefault("open"),
  kind: parseAsStringLiteral(FINDING_KINDS),
  finding: parseAsString,
};

export function FindingsPage() {
  const [{ state, kind, finding }, choose] = useQueryStates(parsers, { history: "push" });
  const question = { state, kind };
  const pages = usePages<FindingsAnswer, FindingRow>({
    key: ["sessions", "findings", question],
    ask: (part, signal) => api(withQuery("/api/findings", { ...question, ...part }), findingsAnswer, { signal }),
    rowsOf: (answer) => answer.findings,
    totalOf: (answer) => answer.total,
  });
  const { answer } = pages;
  const hasSessions = useHasSessions();
  const mark = useMark();
  const close = useCallback(() => void choose({ finding: null }), [choose]);
  const columns = columnsOf(
    findingNames([...pages.loaded.values()].flat()),
    (id) => void choose({ finding: id }),
    (row, to) => mark.mutate({ row, to }),
  );
  return (
    <>
      <PageHead title="Findings">
        {/* While sessions wait for their verdict it changes again and again: that is not said. */}
        <output aria-live={(answer?.waiting ?? 0) > 0 ? "off" : "polite"}>
          {answer === undefined ? <>&nbsp;</> : <Verdict answer={answer} isOpen={state === "open"} />}
        </output>
      </PageHead>
      {hasSessions && (
        <div className="flex flex-none flex-wrap items-center gap-2 px-6 pt-3 pb-3 max-md:px-4">
          <Segmented
            label="State"
            value={state}
            options={SHOWN.map((value) => ({ value, label: SHOWN_WORDS[value] }))}
            onPick={(next) => void choose({ state: next })}
          />
          <Facet
            name="Kind"
            value={kind}
            options={FINDING_KINDS.map((value) => ({ value, label: KIND_WORDS[value] }))}
            onPick={(next) => void choose({ kind: FINDING_KINDS.find((value) => value === next) ?? null })}
          />
        </div>
      )}
      {mark.error !== null && <RequestFailure error={mark.error} title="The finding was not marked" />}
      <div className="flex min-h-0 flex-1 max-lg:flex-col">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {pages.failure !== null ? (
            <Below>
              <RequestFailure error={pages.failure} title="The findings could not be read" />
            </Below>
          ) : answer === undefined ? (
            <Below>
              <Loading rows={12} height={48} label="Grouping findings" />
            </Below>
          ) : pages.total === 0 ? (
            <Below>
              <div className="mx-auto max-w-140 pt-10">
                {!hasSessions ? (
                  <NoSessionsYet>Findings are what wastes most in all sessions of the archive.</NoSessionsYet>
                ) : (
                  <Empty title="No findings here">
                    {answer.waiting > 0
                      ? `${waitingWords(answer.waiting)} It goes on in the background.`
                      : state === "open" && kind === null
                        ? "Nothing stands out in the sessions of this archive."
                        : "No finding has this state and kind."}
                  </Empty>
                )}
              </div>
            </Below>
          ) : (
            <DataTable key={`${state} ${kind}`} label="Findings" columns={columns} pages={pages} rowHeight={48} />
          )}
        </div>
        {finding !== null && (
          <FindingDetail id={finding} onClose={close} onMark={(row, to) => mark.mutate({ row, to })} />
        )}
      </div>
    </>
  );
}

/** `isOpen`: open ones are listed, those that came back among them. */
function Verdict({ answer, isOpen }: { answer: FindingsAnswer; isOpen: boolean }) {
  const { total, usd, isPartial, counts, waiting } = answer;
  const back = isOpen ? counts.back : 0;
  const least = estimatedUsd(usd, isPartial);
  const figure = least === null ? null : <b className="font-semibold text-ink">{least}</b>;
  return (
    <>
      {total === 0 ? (
        "No findings."
      ) : figure === null ? (
        <>{formatCount(total, "finding")}, none with a price</>
      ) : (
        <>
          {figure} avoidable in {formatCount(total, "finding")}
        </>
      )}
      {back > 0 && <>, {back} came back</>}
      {total > 0 && "."}
      {waiting > 0 && ` ${waitingWords(waiting)}`}
    </>
  );
}

export function useMark() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ row, to }: { row: FindingRow; to: FindingMark }) =>
      send("PUT", `/api/findings/${findingPath(row.id)}/mark`, findingRow, { mark: to }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
}

const columnsOf = (
  names: ReadonlyMap<string, string>,
  open: (id: string) => void,
  mark: (row: FindingRow, to: FindingMark) => void,
): DataColumn<FindingRow>[] => [
  {
    id: "finding",
    name: "Finding",
    width: 0,
    cell: (row) => (
      <span className="block min-w-0">
        <span className="flex min-w-0 items-center gap-2">
          <button
            type="button"
            data-opens=""
            title={shownText(row.subject)}
            onClick={() => open(row.id)}
            className="min-w-0 truncate text-left leading-5 font-medium hover:underline"
          >
            <SafeText text={names.get(row.id) ?? row.subject} />
          </button>
          {row.state !== "open" && (
            <Badge tone={row.state === "back" ? "error" : "plain"}>{STATE_WORDS[row.state]}</Badge>
          )}
        </span>
        <span className="block truncate text-12 leading-4 text-ink-3">
          <SafeText text={row.fix} />
        </span>
      </span>
    ),
  },
  {
    id: "kind",
    name: "Kind",
    width: 96,
    from: 900,
    cell: ({ kind }) => <span className="text-ink-2">{KIND_WORDS[kind]}</span>,
  },
  {
    id: "trend",
    name: "Last 8 weeks",
    width: 96,
    from: 1000,
    isNeverBelow: true,
    cell: ({ weeks }) => <Trend weeks={weeks} />,
  },
  { id: "count", name: "Seen", width: 64, number: true, from: 520, cell: ({ count }) => count },
  { id: "sessions", name: "Sessions", width: 76, number: true, from: 700, cell: ({ sessions }) => sessions },
  { id: "first", name: "First seen", width: 108, number: true, from: 1100, cell: (row) => <Day ts={row.firstSeen} /> },
  { id: "last", name: "Last seen", width: 108, number: true, from: 800, cell: (row) => <Day ts={row.lastSeen} /> },
  {
    id: "usd",
    name: "Avoidable",
    width: 92,
    number: true,
    cell: ({ usd, isPartial }) => (
      <span className="font-medium">
        <LeastUsd usd={usd} isPartial={isPartial} isEstimated />
      </span>
    ),
  },
  {
    id: "marks",
    name: "Mark",
    quiet: true,
    width: 138,
    from: 640,
    cell: (row) => (
      <span className="flex justify-end gap-1">
        <MarkButtons row={row} onMark={(to) => mark(row, to)} />
      </span>
    ),
  },
];

const Day = ({ ts }: { ts: string | null }) => (
  <span className="text-ink-2">
    {ts === null ? <Absent why="Its calls have no time" /> : <When ts={ts} show="day" />}
  </span>
);

const BAR = { width: 8, gap: 2, height: 20 };

/** A bar a week, the newest last. */
function Trend({ weeks }: { weeks: readonly number[] }) {
  const most = Math.max(1, ...weeks);
  return (
    <>
      <svg width={weeks.length * (BAR.width + BAR.gap)} height={BAR.height} aria-hidden="true">
        {weeks.map((count, i) => {
          const height = count === 0 ? 1 : Math.max(2, (BAR.height * count) / most);
          return (
            <rect
              // The weeks have no name but their order.
              key={`${i}`}
              x={i * (BAR.width + BAR.gap)}
              y={BAR.height - height}
              width={BAR.width}
              height={height}
              fill={count === 0 ? "var(--line-strong)" : "var(--ink-2)"}
            />
          );
        })}
      </svg>
      <span className="sr-only">{weeks.join(", ")}</span>
    </>
  );
}
