"use client";
// What was deleted from the projects that whoever looks manages, and the way back.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fleetRestoreAnswer, type DeletedFamily } from "#lib/wire/fleet-retention-schema.ts";
import { ConfirmLayer } from "../shared/confirm-layer.tsx";
import { send } from "../ui/api.ts";
import { Answered } from "../ui/answered.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { deletedQuery, MOST_DELETED } from "./fleet-queries.ts";
import { whoWords } from "./fleet-labels.ts";

export function DeletedFamilies() {
  const deleted = useQuery(deletedQuery);
  const [restoring, setRestoring] = useState<DeletedFamily | null>(null);
  return (
    <section aria-label="Deleted" className="mt-6">
      <h2 className="text-15 font-semibold">Deleted</h2>
      <Answered query={deleted} what="deleted sessions" rows={3}>
        {({ families }) =>
          families.length === 0 ? (
            <Empty title="Nothing was deleted">
              <code className="mono">plimsoll fleet delete SESSION</code> deletes one, with its sub-agents.
            </Empty>
          ) : (
            <>
              <DeletedTable families={families} onRestore={setRestoring} />
              {families.length === MOST_DELETED && (
                <p className="pt-2 text-12 text-ink-3">The newest {MOST_DELETED} are shown.</p>
              )}
            </>
          )
        }
      </Answered>
      {restoring !== null && <RestoreFamily family={restoring} onClose={() => setRestoring(null)} />}
    </section>
  );
}

const COLUMNS: readonly Column[] = [
  { name: "Session" },
  { name: "Project", look: "w-32", isText: true },
  { name: "Sessions", look: "w-20" },
  { name: "Bytes", look: "w-24" },
  { name: "Deleted", look: "w-40", isText: true },
  { name: "By", look: "w-44", isText: true },
  { name: "Why", look: "w-44", isText: true },
  { name: "Restore", look: "w-32", isSilent: true },
];

type TableProps = { families: readonly DeletedFamily[]; onRestore: (family: DeletedFamily) => void };

function DeletedTable({ families, onRestore }: TableProps) {
  return (
    <PlainTable label="Deleted" width="min-w-260" columns={COLUMNS}>
      {families.map((one) => (
        <tr key={`${one.project} ${one.family}`} className={ROW}>
          <td className="pl-0!" title={one.family}>
            <span className="font-medium">
              <SafeText text={one.title || "Untitled session"} />
            </span>
          </td>
          <td>
            <SafeText text={one.project} />
          </td>
          <td className="text-right tabular-nums">{one.sessions}</td>
          <td className="text-right tabular-nums">{formatBytes(one.bytes)}</td>
          <td>
            <When ts={one.at} />
          </td>
          <td title={one.by}>
            <SafeText text={whoWords(one.by)} />
          </td>
          <td title={one.reason}>
            <SafeText text={one.reason} />
          </td>
          <td className="pr-0! text-right">
            <Button small onClick={() => onRestore(one)}>
              {one.canRestore ? "Restore…" : "Allow again…"}
            </Button>
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

function RestoreFamily({ family, onClose }: { family: DeletedFamily; onClose: () => void }) {
  const queries = useQueryClient();
  const { canRestore } = family;
  return (
    <ConfirmLayer
      title={canRestore ? "Restore this session?" : "Allow this session again?"}
      labels={{
        keep: "Leave it deleted",
        act: canRestore ? "Restore" : "Allow",
        failed: canRestore ? "It was not restored" : "It was not allowed",
      }}
      run={async () => {
        await send("POST", "/api/fleet/restore", fleetRestoreAnswer, { session: family.family });
        await queries.invalidateQueries({ queryKey: ["fleet"] });
        await queries.invalidateQueries({ queryKey: ["sessions"] });
      }}
      onClose={onClose}
    >
      <p>
        <b className="font-semibold text-ink">
          <SafeText text={family.title || "Untitled session"} />
        </b>
        , {formatCount(family.sessions, "session")}, {formatBytes(family.bytes)}.
      </p>
      <p className="mt-2">
        {canRestore
          ? "A node lists it within a minute, for everyone who sees the project."
          : "A sweep cleared its content. Its sender may send it again from now on."}
      </p>
    </ConfirmLayer>
  );
}
