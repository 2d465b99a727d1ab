"use client";
// The API of this server, from its own OpenAPI document.
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { debounce, parseAsString } from "nuqs/server";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { keyOf, matching, operationsQuery, type Operation } from "./api-document.ts";
import { OperationRow } from "./operation-row.tsx";

const TYPING_MS = 150;

const parsers = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", limitUrlUpdates: debounce(TYPING_MS) }),
  /** The endpoint that is open: its method and path. */
  op: parseAsString,
};

export function ApiPage() {
  const [{ q, op }, choose] = useQueryStates(parsers);
  const { data, error } = useQuery(operationsQuery);
  const found = data === undefined ? [] : matching(data, q);
  return (
    <>
      <PageHead
        title="API"
        aside={
          <SearchField
            label="Search endpoints"
            group="API"
            value={q}
            onChange={(next) => void choose({ q: next })}
            found={q === "" || data === undefined ? null : `${found.length} of ${data.length}`}
          />
        }
      >
        {data === undefined ? "Every endpoint" : `${data.length} endpoints`}, each with an example ·{" "}
        <a className="link underline" href="/api/openapi.json" target="_blank">
          OpenAPI 3.1
        </a>
      </PageHead>
      <div className="min-h-0 flex-1 overflow-y-auto px-6 pt-4 pb-8 max-md:px-4">
        {error !== null ? (
          <RequestFailure error={error} title="The API document could not be read" />
        ) : data === undefined ? (
          <Loading rows={12} label="Loading the API" />
        ) : found.length === 0 ? (
          <Empty title="No endpoint matches">Searched: methods, paths and titles.</Empty>
        ) : (
          <Groups operations={found} open={op} onOpen={(next) => void choose({ op: next })} />
        )}
      </div>
    </>
  );
}

type GroupsProps = {
  operations: readonly Operation[];
  open: string | null;
  onOpen: (key: string | null) => void;
};

function Groups({ operations, open, onOpen }: GroupsProps) {
  return [...Map.groupBy(operations, ({ tags }) => tags[0] ?? "")].map(([tag, members]) => (
    <section key={tag} aria-label={tag} className="mb-6">
      <h2 className="border-b border-line-strong pb-1 text-15 font-semibold capitalize">{tag}</h2>
      <ul>
        {members.map((one) => {
          const key = keyOf(one);
          return (
            <OperationRow
              key={key}
              operation={one}
              isOpen={open === key}
              onToggle={() => onOpen(open === key ? null : key)}
            />
          );
        })}
      </ul>
    </section>
  ));
}
