"use client";
// Whether reset and deleted transcripts of a folder are read: off until somebody asks for it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { SourcesAnswer } from "#lib/wire/sources-schema.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { readArchived } from "./actions.ts";

export function ArchivedToggle({ root }: { root: SourcesAnswer["roots"][number] }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: readArchived,
    onSettled: () => queries.invalidateQueries({ queryKey: ["sources"] }),
  });
  if (root.archived === null) return <span className="text-ink-3">–</span>;
  return (
    <label
      className="flex items-center gap-2"
      title={
        change.error === null
          ? "OpenClaw keeps transcripts of sessions that were reset or deleted. Read and search them too."
          : `Not changed: ${change.error.message}`
      }
    >
      <input
        type="checkbox"
        checked={root.archived}
        disabled={change.isPending}
        aria-label={`Read reset and deleted transcripts of ${shownText(root.label)}`}
        onChange={(happening) => change.mutate({ path: root.path, on: happening.target.checked })}
      />
      {change.error === null ? root.archived ? "read" : "not read" : <span className="text-bad">failed</span>}
    </label>
  );
}
