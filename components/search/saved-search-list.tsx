"use client";
// Searches that are saved under a name: one click runs one, another deletes it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { z } from "zod";
import { savedSearch } from "#lib/wire/marks-schema.ts";
import { savedSearchesQuery, useSavedSearches } from "../shared/use-saved-searches.ts";
import { failureOf, send } from "../ui/api.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { SafeText } from "../ui/safe-text.tsx";

export function SavedSearches({ onPick }: { onPick: (q: string) => void }) {
  const queries = useQueryClient();
  const { data } = useSavedSearches();
  const drop = useMutation({
    mutationFn: (name: string) => send("DELETE", "/api/searches", z.object({ deleted: z.boolean() }), { name }),
    onSettled: () => queries.invalidateQueries({ queryKey: savedSearchesQuery.queryKey }),
  });
  const searches = data?.searches ?? [];
  if (searches.length === 0) return null;
  return (
    <section aria-label="Saved searches">
      <h2 className="text-13 font-semibold">Saved searches</h2>
      <ul className="mt-1">
        {searches.map(({ name, query }) => (
          <li key={name} className="flex items-center">
            <button
              type="button"
              onClick={() => onPick(query)}
              className="flex min-h-8 min-w-0 flex-1 flex-wrap items-baseline gap-x-3 rounded-1 px-2 py-1 text-left hover:bg-sunk"
            >
              <span className="font-medium">
                <SafeText text={name} />
              </span>
              <span className="mono min-w-0 truncate text-ink-2">
                <SafeText text={query} />
              </span>
            </button>
            <IconButton label={`Delete the saved search ${name}`} onClick={() => drop.mutate(name)}>
              <Trash2 size={13} aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Beside the query: a name for it. */
export function SaveSearch({ q }: { q: string }) {
  const queries = useQueryClient();
  const { data } = useSavedSearches();
  // Null: the form was closed, and its button is where the keyboard goes on.
  const [name, setName] = useState<string | null>();
  const save = useMutation({
    mutationFn: (request: { name: string; query: string }) => send("PUT", "/api/searches", savedSearch, request),
    onSuccess: () => {
      setName(null);
      return queries.invalidateQueries({ queryKey: savedSearchesQuery.queryKey });
    },
  });
  const known = data?.searches.find(({ query }) => query === q.trim());
  if (known !== undefined)
    return (
      <span className="text-12 text-ink-2">
        Saved as <SafeText text={known.name} />
      </span>
    );
  if (name === null || name === undefined)
    return (
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the form that had the focus
      <Button kind="quiet" autoFocus={name === null} onClick={() => setName("")}>
        Save search
      </Button>
    );
  const isTaken = data?.searches.some((search) => search.name === name.trim()) === true;
  return (
    <form
      className="flex items-center gap-1"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (name.trim() !== "") save.mutate({ name: name.trim(), query: q.trim() });
      }}
    >
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed gives way to it
        autoFocus
        value={name}
        onChange={(typed) => setName(typed.target.value)}
        onKeyDown={(event) => event.key === "Escape" && setName(null)}
        aria-label="Name of the search"
        placeholder="Name"
        maxLength={80}
        className="h-7 w-40 rounded-2 border border-line-strong bg-raised px-2"
      />
      <Button type="submit">{isTaken ? "Replace" : "Save"}</Button>
      {save.error !== null && <span role="alert">{failureOf(save.error).message}</span>}
    </form>
  );
}
