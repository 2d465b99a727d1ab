"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsStringLiteral, useQueryStates } from "nuqs";
import { Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import {
  artifactsQuery,
  type ArtifactRow,
  type ArtifactsAnswer,
  type ArtifactsQuery,
} from "#lib/wire/artifacts-schema.ts";
import { COLUMNS } from "../artifacts-list/columns.tsx";
import { listPages } from "../shared/list-pages.ts";
import { Button } from "../ui/button.tsx";
import { DataTable, type DataColumn } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { EndSessionLayer } from "./end-session-layer.tsx";
import { sessionArtifactsQuery, sessionQuery } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";

const SORTS = artifactsQuery.shape.sort.unwrap().options;

/** Outputs of this session that were over 4,096 bytes, and what was stored in it on purpose. */
export function ArtifactsTab({ onOpen }: { onOpen: (seq: number) => void }) {
  const { id } = useSession();
  const held = useQuery(sessionQuery(id)).data?.held === true;
  const [isAsking, setAsking] = useState(false);
  const [order, setOrder] = useQueryStates(
    {
      sort: parseAsStringLiteral(SORTS).withDefault("size"),
      dir: parseAsStringLiteral(["asc", "desc"] as const).withDefault("desc"),
    },
    { history: "replace" },
  );
  const artifacts = useQuery(sessionArtifactsQuery(id, order.sort, order.dir));
  const pages = useMemo(
    () => listPages<ArtifactRow>(artifacts.data?.artifacts ?? [], `${order.sort} ${order.dir}`),
    [artifacts.data, order],
  );
  const columns = useMemo(() => columnsHere(onOpen), [onOpen]);
  if (artifacts.error) {
    return (
      <div className="p-6">
        <RequestFailure error={artifacts.error} title="The artifacts could not be read" />
      </div>
    );
  }
  if (!artifacts.data)
    return (
      <div className="px-6 py-3">
        <Loading rows={8} label="Loading the artifacts" />
      </div>
    );
  const { total, totalBytes, hooked } = artifacts.data;
  const isGone = totalBytes === 0;
  if (total === 0)
    return (
      <div className="p-6">
        <Empty title="No artifacts">
          {hooked === null ? (
            "No output is over 4,096 bytes, and nothing was stored by hand. All outputs are in the transcript."
          ) : (
            <Hooked hooked={hooked} />
          )}
        </Empty>
      </div>
    );
  return (
    <>
      <div className="flex flex-none flex-wrap items-center gap-x-4 gap-y-1 px-6 py-2">
        <p className="text-12 text-ink-3">
          {formatCount(total, "artifact")} of this session,{" "}
          {isGone ? "none still stored." : `kept whole: ${formatBytes(totalBytes)}.`}
          {artifacts.data.next !== null &&
            ` The first ${artifacts.data.artifacts.length} are shown; the Artifacts page has them all.`}
        </p>
        {hooked !== null && (
          <p className="text-12 text-ink-3">
            <Hooked hooked={hooked} />
          </p>
        )}
        {held && !isGone && (
          <Button small onClick={() => setAsking(true)}>
            <Trash2 size={12} aria-hidden="true" />
            Delete all artifacts…
          </Button>
        )}
      </div>
      {isAsking && <EndSessionLayer id={id} onClose={() => setAsking(false)} />}
      <DataTable
        label="Artifacts of this session"
        columns={columns}
        pages={pages}
        order={{ sort: order.sort, dir: order.dir, onSort: (sort, dir) => void setOrder({ sort, dir }) }}
      />
    </>
  );
}

/** What the agent's hook put away before the model saw it is stored in a session of the hook. */
function Hooked({ hooked: { id, artifacts, bytes } }: { hooked: NonNullable<ArtifactsAnswer["hooked"]> }) {
  return (
    <>
      The agent’s hook stored{" "}
      <Link className="link underline" href={`/sessions/${id}?tab=artifacts`}>
        {formatCount(artifacts, "more output")}
      </Link>
      , {formatBytes(bytes)}.
    </>
  );
}

/** The list's own columns; the session is known here, so its event stands in its place. */
const columnsHere = (onOpen: (seq: number) => void): readonly DataColumn<ArtifactRow, ArtifactsQuery["sort"]>[] =>
  COLUMNS.map((column) =>
    column.id === "session"
      ? {
          id: "event",
          name: "Event",
          width: 84,
          from: 600,
          cell: (row: ArtifactRow) =>
            row.seq === null ? null : (
              <button type="button" className="link tabular-nums" onClick={() => onOpen(row.seq ?? 1)}>
                {row.seq}
              </button>
            ),
        }
      : column,
  );
