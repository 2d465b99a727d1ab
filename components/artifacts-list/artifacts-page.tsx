"use client";
import { useQuery } from "@tanstack/react-query";
import { TextSearch } from "lucide-react";
import { parseAsString, useQueryStates } from "nuqs";
import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { artifactsAnswer, type ArtifactRow, type ArtifactsAnswer } from "#lib/wire/artifacts-schema.ts";
import { QueryBar } from "../shared/query-bar.tsx";
import { useHasSessions } from "../shared/server-status.ts";
import { api, withQuery } from "../ui/api.ts";
import { useIsNode } from "../ui/access-context.ts";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { whenTyped } from "../ui/typed.ts";
import { usePages, type Pages } from "../ui/use-pages.ts";
import { useSelection } from "../ui/use-selection.ts";
import { AddSessions } from "../shared/no-sessions-yet.tsx";
import { ArtifactSelection } from "./artifact-selection.tsx";
import { artifactParsers, NO_FILTER, questionOf, searchParser, type ArtifactChoices } from "./artifact-filters.ts";
import { COLUMNS } from "./columns.tsx";
import { FilterRow } from "./filter-row.tsx";
import { statsQuery } from "./stats-query.ts";

/** Fetched when it is first opened: most visits search no contents. */
const ContentsPanel = lazy(() => import("./contents-panel.tsx").then((panel) => ({ default: panel.ContentsPanel })));

const DeleteLayer = lazy(() =>
  import("../artifact/delete-layer.tsx").then((layer) => ({ default: layer.DeleteLayer })),
);

export function ArtifactsPage() {
  const [choices, choose] = useQueryStates(artifactParsers, { history: "push" });
  const [search, setSearch] = useQueryStates({ in: searchParser, pattern: parseAsString }, { history: "push" });
  const question = questionOf(choices);
  // What a node has of them is a copy: contents are searched, and artifacts deleted, where their session is.
  const isNode = useIsNode();
  const searchedIn = isNode ? "names" : search.in;
  const pages = usePages<ArtifactsAnswer, ArtifactRow>({
    key: ["artifacts", question],
    ask: (part, signal) => api(withQuery("/api/artifacts", { ...question, ...part }), artifactsAnswer, { signal }),
    rowsOf: (answer) => answer.artifacts,
    totalOf: (answer) => answer.total,
  });
  const { answer } = pages;
  const [deleting, setDeleting] = useState<ArtifactRow | null>(null);
  const selection = useSelection(pointerOf);
  const selecting = useMemo(() => ({ ...selection, nameOf }), [selection]);
  const shortcuts = useMemo<Shortcut[]>(
    () =>
      search.in === "contents" || isNode
        ? []
        : [
            {
              keys: "c",
              label: "Search in contents",
              group: "Artifacts",
              run: () => void setSearch({ in: "contents" }),
            },
          ],
    [search.in, setSearch, isNode],
  );
  useShortcuts(shortcuts);
  const { tool, type, state, origin, session } = choices;
  const hasSessions = useHasSessions();
  const filtered = question.q !== "" || [tool, type, state, origin, session].some((choice) => choice !== null);
  const isEmpty = !hasSessions && answer?.total === 0 && !filtered;
  return (
    <>
      <PageHead
        title="Artifacts"
        aside={
          !isEmpty && (
            <QueryBar
              label="Search in names"
              group="Artifacts"
              value={choices.q}
              onChange={(q) => void choose({ q }, whenTyped(q))}
              found={!pages.isOld && question.q !== "" && answer && formatCount(answer.total, "artifact")}
            />
          )
        }
      >
        {isEmpty ? "Nothing is stored yet." : <Totals answer={answer} filtered={filtered} choices={choices} />}
      </PageHead>
      {!isEmpty && (
        <FilterRow pages={pages} choices={choices} choose={choose} filtered={filtered}>
          {!isNode && (
            <Button
              small
              aria-pressed={search.in === "contents"}
              title="Search in contents (c)"
              onClick={() => void setSearch({ in: search.in === "contents" ? null : "contents" })}
            >
              <TextSearch size={12} aria-hidden="true" />
              Search in contents
            </Button>
          )}
        </FilterRow>
      )}
      {searchedIn === "contents" && (
        <Suspense fallback={<Loading rows={1} height={40} label="Loading the search" />}>
          <ContentsPanel
            scope={{ filter: filterOf(question), chosen: [...selection.chosen.keys()], total: answer?.total ?? 0 }}
            onClose={() => void setSearch({ in: null, pattern: null })}
          />
        </Suspense>
      )}
      {(searchedIn === "names" || search.pattern === null) && (
        <Listed pages={pages} filtered={filtered} hasSessions={hasSessions} onClear={() => void choose(NO_FILTER)}>
          <DataTable
            key={JSON.stringify(question)}
            label="Artifacts"
            columns={COLUMNS}
            pages={pages}
            order={{ sort: choices.sort, dir: choices.dir, onSort: (sort, dir) => void choose({ sort, dir }) }}
            {...(!isNode && {
              onDelete: (row: ArtifactRow) => row.state !== "deleted" && setDeleting(row),
              selection: selecting,
            })}
          />
        </Listed>
      )}
      {selection.chosen.size > 0 && (
        <ArtifactSelection selection={selection} onSearch={() => void setSearch({ in: "contents" })} />
      )}
      {deleting !== null && (
        <Suspense>
          <DeleteLayer artifact={deleting} onClose={() => setDeleting(null)} />
        </Suspense>
      )}
    </>
  );
}

const pointerOf = ({ pointer }: ArtifactRow): string => pointer;
const nameOf = (row: ArtifactRow): string => shownText(artifactTitle(row));

/** What was chosen, without what was not: as a search takes it. */
const filterOf = (choices: ArtifactChoices): object =>
  Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== null && value !== ""));

/** Columns that are known of counted sessions alone. */
const LOAD_SORTS: ReadonlySet<string> = new Set(["tokens", "calls", "cost"]);

type TotalsProps = { answer: ArtifactsAnswer | undefined; filtered: boolean; choices: ArtifactChoices };

function Totals({ answer, filtered, choices: { sort } }: TotalsProps) {
  return (
    <>
      <Sums answer={answer} filtered={filtered} />
      {answer !== undefined && answer.unweighed > 0 && LOAD_SORTS.has(sort) && (
        <> {formatCount(answer.unweighed, "artifact is", "artifacts are")} not counted yet and listed last.</>
      )}
    </>
  );
}

/** What the archive holds; with a filter, what of it is listed. */
function Sums({ answer, filtered }: { answer: ArtifactsAnswer | undefined; filtered: boolean }) {
  // On a node they would be of its cache.
  const stats = useQuery({ ...statsQuery, enabled: !useIsNode() });
  if (answer === undefined) return <>&nbsp;</>;
  if (filtered)
    return (
      <>
        {formatCount(answer.total, "artifact")} of these, {formatBytes(answer.totalBytes)}.
      </>
    );
  const held = stats.data;
  if (held === undefined)
    return (
      <>
        {formatCount(answer.total, "artifact")}, kept whole: {formatBytes(answer.totalBytes)}.
      </>
    );
  const gone = held.tombstones.deleted + held.tombstones.expired + held.tombstones.swept;
  return (
    <>
      {formatCount(held.artifacts, "artifact")}, kept whole: {formatBytes(held.logicalBytes)}.
      {held.savedBytes > 0 && (
        <>
          {" "}
          The same bytes are stored once, so {formatBytes(held.physicalBytes)} are on the disk:{" "}
          {formatBytes(held.savedBytes)} saved.
        </>
      )}
      {gone > 0 && ` ${formatCount(gone, "tombstone")}.`}
      {held.quarantine.count > 0 && ` ${formatCount(held.quarantine.count, "blob is", "blobs are")} in quarantine.`}
    </>
  );
}

type ListedProps = {
  pages: Pages<ArtifactsAnswer, ArtifactRow>;
  filtered: boolean;
  hasSessions: boolean;
  onClear: () => void;
  children: ReactNode;
};

/** The table, or what stands in its place. */
function Listed({ pages, filtered, hasSessions, onClear, children }: ListedProps) {
  if (pages.answer !== undefined && pages.total > 0) return children;
  return (
    <div className="relative min-h-0 flex-1 overflow-auto px-6 py-2 max-md:px-4">
      {pages.failure !== null ? (
        <RequestFailure
          error={pages.failure}
          title="The artifacts could not be loaded"
          action={<Button onClick={() => pages.retry()}>Try again</Button>}
        />
      ) : pages.answer === undefined ? (
        <Loading rows={18} label="Loading artifacts" />
      ) : (
        <div className="mx-auto max-w-140 pt-10">
          <Empty
            title={filtered ? "No artifact matches" : "No artifacts yet"}
            actions={filtered ? <Button onClick={onClear}>Clear the filters</Button> : !hasSessions && <AddSessions />}
          >
            Importing a session stores its tool outputs over 4,096 bytes. Agents can store their own.
          </Empty>
        </div>
      )}
    </div>
  );
}
