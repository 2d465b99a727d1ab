"use client";
import { useQuery } from "@tanstack/react-query";
import type { MemoryHistory } from "#lib/wire/memory-schema.ts";
import { useSession } from "../shared/session-context.tsx";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { historyQuery } from "../shared/memory-queries.ts";

const DID: Record<string, string> = {
  add: "Written",
  edit: "Edited",
  pin: "Pinned",
  unpin: "Unpinned",
  delete: "Deleted",
  restore: "Brought back",
  supersede: "Superseded",
};

/** What was done to an item, and what it said before. */
export function ItemHistory({ item }: { item: string }) {
  const { id } = useSession();
  const history = useQuery(historyQuery(id, item));
  if (history.error)
    return (
      <Failure code={failureOf(history.error).code} title="The history could not be read">
        {failureOf(history.error).message}
      </Failure>
    );
  if (history.data === undefined) return <p className="h-5" aria-busy="true" />;
  const { changes } = history.data;
  if (changes.length === 0) return <p className="mt-1 text-12 text-ink-3">Nothing was changed since it was made.</p>;
  return (
    <ol className="mt-1 text-12" aria-label="History of this item">
      {changes.map((change, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a list that only grows at its head, drawn anew each time
        <Change key={at} change={change} />
      ))}
    </ol>
  );
}

function Change({ change }: { change: MemoryHistory["changes"][number] }) {
  const { did, before, by, at } = change;
  return (
    <li className="flex gap-3 border-t border-line py-1">
      <span className="w-44 flex-none text-ink-3">
        {DID[did] ?? did}, <When ts={at} />
        {by !== "person" && `, by ${by}`}
      </span>
      {did === "edit" && before !== null && (
        <span className="min-w-0 flex-1 text-ink-2">
          was: <SafeText text={before.text} />
          <span className="text-ink-3">
            {" "}
            (salience {before.salience}
            {before.tags.length > 0 && `, ${before.tags.map((tag) => `#${tag}`).join(" ")}`})
          </span>
        </span>
      )}
    </li>
  );
}
