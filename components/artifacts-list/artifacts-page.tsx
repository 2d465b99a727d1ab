"use client";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { lazy, Suspense, useState, type ReactNode } from "react";
import {
  artifactOrigin,
  artifactsAnswer,
  artifactState,
  type ArtifactRow,
  type ArtifactsAnswer,
} from "#lib/wire/artifacts-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Facet } from "../ui/facet.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { whenTyped } from "../ui/typed.ts";
import { usePages, type Pages } from "../ui/use-pages.ts";
import { COLUMNS, ORIGIN_WORDS } from "./columns.tsx";
import { statsQuery } from "./stats-query.ts";
import { artifactParsers, NO_FILTER, questionOf } from "./artifact-filters.ts";

const DeleteLayer = lazy(() =>
  import("../artifact/delete-layer.tsx").then((layer) => ({ default: layer.DeleteLayer })),
);

export function ArtifactsPage() {
  const [choices, choose] = useQueryStates(artifactParsers, { history: "push" });
  const question = questionOf(choices);
  const pages = usePages<ArtifactsAnswer, ArtifactRow>({
    key: ["artifacts", question],
    ask: (part, signal) => api(withQuery("/api/artifacts", { ...question, ...part }), artifactsAnswer, { signal }),
    rowsOf: (answer) => answer.artifacts,
    totalOf: (answer) => answer.total,
  });
  const { answer } = pages;
  const [deleting, setDeleting] = useState<ArtifactRow | null>(null);
  const { tool, type, state, origin, session } = choices;
  const filtered = question.q !== "" || [tool, type, state, origin, session].some((choice) => choice !== null);
  return (
    <>
      <PageHead
        title="Artifacts"
        aside={
          <SearchField
            label="Search in names"
            group="Artifacts"
            value={choices.q}
            onChange={(q) => void choose({ q }, whenTyped(q))}
            found={question.q === "" || !answer ? null : formatCount(answer.total, "artifact")}
          />
        }
      >
        <Totals answer={answer} filtered={filtered} />
      </PageHead>
      <div className="flex flex-none flex-wrap items-center gap-1 px-6 pt-3 pb-2 max-md:px-4">
        <Facet
          name="Tool"
          value={choices.tool}
          options={asOptions(answer?.tools)}
          onPick={(tool) => void choose({ tool })}
        />
        <Facet
          name="Type"
          value={choices.type}
          options={asOptions(answer?.types)}
          onPick={(type) => void choose({ type })}
        />
        <Facet
          name="State"
          value={state}
          options={artifactState.options.map((value) => ({ value, label: value }))}
          onPick={(next) => void choose({ state: artifactState.options.find((known) => known === next) ?? null })}
        />
        <Facet
          name="Origin"
          value={origin}
          options={artifactOrigin.options.map((value) => ({ value, label: ORIGIN_WORDS[value] }))}
          onPick={(next) => void choose({ origin: artifactOrigin.options.find((known) => known === next) ?? null })}
        />
        {choices.session !== null && (
          <Chip on hint={<SessionName pages={pages} />} onClear={() => void choose({ session: null })}>
            Session
          </Chip>
        )}
        {filtered && (
          <Button kind="quiet" small onClick={() => void choose(NO_FILTER)}>
            Clear
          </Button>
        )}
      </div>
      <Listed pages={pages} filtered={filtered} onClear={() => void choose(NO_FILTER)}>
        <DataTable
          key={JSON.stringify(question)}
          label="Artifacts"
          columns={COLUMNS}
          pages={pages}
          order={{ sort: choices.sort, dir: choices.dir, onSort: (sort, dir) => void choose({ sort, dir }) }}
          onDelete={(row) => row.state !== "deleted" && setDeleting(row)}
        />
      </Listed>
      {deleting !== null && (
        <Suspense>
          <DeleteLayer artifact={deleting} onClose={() => setDeleting(null)} />
        </Suspense>
      )}
    </>
  );
}

/** What the archive holds; with a filter, what of it is listed. */
function Totals({ answer, filtered }: { answer: ArtifactsAnswer | undefined; filtered: boolean }) {
  const stats = useQuery(statsQuery);
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

function asOptions(facet: ArtifactsAnswer["tools"] | undefined) {
  return (facet ?? []).map((value) => ({ ...value, label: value.value }));
}

function SessionName({ pages }: { pages: Pages<ArtifactsAnswer, ArtifactRow> }) {
  const title = pages.answer?.artifacts[0]?.sessionTitle;
  return (
    <span className="inline-block max-w-60 truncate align-bottom">{title ? <SafeText text={title} /> : "one"}</span>
  );
}

type ListedProps = {
  pages: Pages<ArtifactsAnswer, ArtifactRow>;
  filtered: boolean;
  onClear: () => void;
  children: ReactNode;
};

/** The table, or what stands in its place. */
function Listed({ pages, filtered, onClear, children }: ListedProps) {
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
            actions={filtered && <Button onClick={onClear}>Clear the filters</Button>}
          >
            Importing a session stores its tool outputs over 4,096 bytes. Agents can store their own.
          </Empty>
        </div>
      )}
    </div>
  );
}
