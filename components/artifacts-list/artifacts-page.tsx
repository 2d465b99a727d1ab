"use client";
import { useQueryStates } from "nuqs";
import type { ReactNode } from "react";
import { artifactsAnswer, type ArtifactRow, type ArtifactsAnswer } from "#lib/wire/artifacts.ts";
import { api, failureOf, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Facet } from "../ui/facet.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { whenTyped } from "../ui/typed.ts";
import { usePages, type Pages } from "../ui/use-pages.ts";
import { COLUMNS } from "./columns.tsx";
import { artifactParsers, NO_FILTER, questionOf } from "./filters.ts";

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
  const filtered = question.q !== "" || [choices.tool, choices.type, choices.session].some((choice) => choice !== null);
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
        {answer ? (
          <>
            {formatCount(answer.total, "tool output")} over 4,096 bytes, kept whole: {formatBytes(answer.totalBytes)}.
          </>
        ) : (
          <>&nbsp;</>
        )}
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
        />
      </Listed>
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
        <Failure
          code={failureOf(pages.failure).code}
          title="The artifacts could not be asked for"
          action={<Button onClick={() => pages.retry()}>Try again</Button>}
        >
          {failureOf(pages.failure).message}
        </Failure>
      ) : pages.answer === undefined ? (
        <Loading rows={18} label="Loading artifacts" />
      ) : (
        <div className="mx-auto max-w-140 pt-10">
          <Empty
            title={filtered ? "No artifact matches" : "No artifacts yet"}
            actions={filtered && <Button onClick={onClear}>Clear the filters</Button>}
          >
            A tool output over 4,096 bytes is kept whole as an artifact when its session is read.
          </Empty>
        </div>
      )}
    </div>
  );
}
