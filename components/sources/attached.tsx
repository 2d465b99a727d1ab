"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { attachedList, type AttachedList } from "#lib/wire/attached-schema.ts";
import { api } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Absent } from "../ui/num.tsx";
import { columnNames } from "../ui/column-names.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { detachFolder, refreshFolder } from "./actions.ts";

type Attached = AttachedList["attached"][number];

/** Memory folders of agents that were attached; nothing where there are none. */
export function AttachedFolders() {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ["attached"],
    queryFn: ({ signal }) => api("/api/attached", attachedList, { signal }),
  });
  const onSettled = () => queries.invalidateQueries({ queryKey: ["attached"] });
  const refreshing = useMutation({ mutationFn: refreshFolder, onSettled });
  const detaching = useMutation({ mutationFn: detachFolder, onSettled });
  const isBusy = refreshing.isPending || detaching.isPending;
  const failed = refreshing.error ?? detaching.error;
  if (data === undefined || (data.attached.length === 0 && failed === null)) return null;
  return (
    <section aria-label="Connected memory folders" className="flex-none px-6 pt-3 max-md:px-4">
      <div className="relative overflow-x-auto">
        <table
          className="stacks w-full min-w-200 table-fixed border-separate border-spacing-0"
          style={columnNames(["", "Session", "Generation", "Events", "Last read", ""])}
        >
          <thead>
            <tr className="text-12 text-ink-3 [&>th]:h-7 [&>th]:border-b [&>th]:border-line-strong [&>th]:px-2 [&>th]:text-left [&>th]:font-medium">
              <th scope="col" className="pl-0!">
                Memory folder
              </th>
              <th scope="col" className="w-48">
                Session
              </th>
              <th scope="col" className="w-28">
                Generation
              </th>
              <th scope="col" className="w-20 text-right!">
                Events
              </th>
              <th scope="col" className="w-36">
                Last read
              </th>
              <th scope="col" className="w-44">
                <span className="sr-only">Read again, or disconnect</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.attached.map((one) => (
              <Row
                key={one.sessionId}
                one={one}
                isBusy={isBusy}
                onRefresh={() => refreshing.mutate(one.sessionId)}
                onDetach={() => detaching.mutate(one.sessionId)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <output className="block min-h-5 pt-1 text-12 text-ink-3">
        {refreshing.data === undefined || isBusy ? "" : addedWords(refreshing.data)}
      </output>
      {failed !== null && <RequestFailure error={failed} title="Nothing was done" />}
    </section>
  );
}

type RowProps = { one: Attached; isBusy: boolean; onRefresh: () => void; onDetach: () => void };

function Row({ one, isBusy, onRefresh, onDetach }: RowProps) {
  const busy = isBusy ? "Another folder is being read or detached" : undefined;
  return (
    <tr className="[&>td]:h-8 [&>td]:truncate [&>td]:border-b [&>td]:border-line [&>td]:px-2 hover:[&>td]:bg-sunk">
      <td className="mono pl-0!" title={shownText(one.path)}>
        <SafeText text={one.path} />
      </td>
      <td>
        <Link prefetch={false} className="link mono" href={`/sessions/${one.sessionId}?tab=memory`}>
          {one.sessionId}
        </Link>
      </td>
      <td className="text-ink-2">
        {one.generation ?? <Absent why="Nothing tells which Autobyteus wrote it" />}
        {one.refuses !== null && (
          <>
            {" "}
            <Badge title={one.refuses}>only read</Badge>
          </>
        )}
      </td>
      <td className="num">{formatTokens(one.events)}</td>
      <td className="text-ink-2">
        <When ts={one.readAt} />
      </td>
      <td className="pr-0! text-right">
        <span className="inline-flex gap-2">
          <Button
            small
            disabled={isBusy}
            title={busy ?? "Reads what its agent wrote since"}
            onClick={onRefresh}
            aria-label={`Read again: ${one.path}`}
          >
            Look again
          </Button>
          <Button
            small
            kind="quiet"
            disabled={isBusy}
            title={busy ?? "No longer follow it; folder and session stay as they are"}
            onClick={onDetach}
            aria-label={`Disconnect ${one.path}`}
          >
            Disconnect
          </Button>
        </span>
      </td>
    </tr>
  );
}

const addedWords = ({ added, warnings }: { added: number; warnings: readonly string[] }): string =>
  `${added === 0 ? "Nothing new there." : `${formatCount(added, "new event")}.`}${warnings.length === 0 ? "" : ` ${formatCount(warnings.length, "line")} of it could not be read.`}`;
