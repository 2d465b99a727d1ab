"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { undoAnswer, type MemoryChange } from "#lib/wire/memory-schema.ts";
import { useSession } from "../shared/session-context.tsx";
import { send } from "../ui/api.ts";
import { sessionPath } from "../shared/memory-queries.ts";

/** Adds, edits, pins, deletes and brings back; what is shown is asked for anew. */
export function useMemoryChange() {
  const { id } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: MemoryChange) => send("POST", `${sessionPath(id)}/memory`, z.unknown(), change),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["session", id, "memory"] }),
  });
}

/** Takes a compaction back. All of the session may change with it: its context, its chart, its items. */
export function useUndo(session: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (compaction: string) =>
      send("POST", `/api/compactions/${encodeURIComponent(compaction)}/undo`, undoAnswer),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["session", session] }),
  });
}
