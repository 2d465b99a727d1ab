"use client";
// Searches that are saved under a name: one click runs one, others rename or delete it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { z } from "zod";
import { savedSearch, type SavedSearch } from "#lib/wire/marks-schema.ts";
import { savedSearchesQuery, useSavedSearches } from "../shared/use-saved-searches.ts";
import { failureOf, send } from "../ui/api.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { SafeText } from "../ui/safe-text.tsx";

const dropSearch = (name: string) => send("DELETE", "/api/searches", z.object({ deleted: z.boolean() }), { name });

export function SavedSearches({ onPick }: { onPick: (q: string) => void }) {
  const queries = useQueryClient();
  const { data } = useSavedSearches();
  const drop = useMutation({
    mutationFn: dropSearch,
    onSettled: () => queries.invalidateQueries({ queryKey: savedSearchesQuery.queryKey }),
  });
  const list = useRef<HTMLUListElement>(null);
  const [renamed, setRenamed] = useState<string | null>(null);
  const searches = data?.searches ?? [];
  if (searches.length === 0) return null;
  /** The row goes: the keyboard goes on at the one after it, or before it; after the last at the search. */
  const remove = (name: string, at: number) => {
    const rows = list.current?.children ?? [];
    const next = (rows[at + 1] ?? rows[at - 1])?.querySelector("button");
    (next ?? document.querySelector<HTMLElement>("main input[type=search]"))?.focus();
    drop.mutate(name);
  };
  return (
    <section aria-label="Saved searches">
      <h2 className="text-13 font-semibold">Saved searches</h2>
      <ul className="mt-1" ref={list}>
        {searches.map((search, at) => (
          <SavedSearchRow
            key={search.name}
            search={search}
            isRenamed={search.name === renamed}
            onPick={() => onPick(search.query)}
            onRename={setRenamed}
            onDelete={() => remove(search.name, at)}
          />
        ))}
      </ul>
      {drop.error !== null && (
        <p role="alert" className="px-2 text-12">
          {failureOf(drop.error).message}
        </p>
      )}
    </section>
  );
}

type RowProps = {
  search: SavedSearch;
  /** It has just been given this name: its row is another, and the keyboard goes on there. */
  isRenamed: boolean;
  onPick: () => void;
  onRename: (name: string) => void;
  onDelete: () => void;
};

const renameLabel = (name: string): string => `Rename the saved search ${name}`;

function SavedSearchRow({ search, isRenamed, onPick, onRename, onDelete }: RowProps) {
  // Null: the form was closed, and its button is where the keyboard goes on.
  const [isRenaming, setRenaming] = useState<boolean | null>(false);
  const { name, query } = search;
  if (isRenaming === true)
    return (
      <li className="flex min-h-8 items-center px-2">
        <NameForm query={query} old={name} onClose={() => setRenaming(null)} onSaved={onRename} />
      </li>
    );
  return (
    <li className="flex items-center">
      <button
        type="button"
        onClick={onPick}
        className="flex min-h-8 min-w-0 flex-1 flex-wrap items-baseline gap-x-3 rounded-1 px-2 py-1 text-left hover:bg-sunk"
      >
        <span className="font-medium wrap-anywhere">
          <SafeText text={name} />
        </span>
        <span className="mono min-w-0 truncate text-ink-2">
          <SafeText text={query} />
        </span>
      </button>
      <IconButton
        label={renameLabel(name)}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the form that had the focus
        autoFocus={isRenaming === null || isRenamed}
        onClick={() => setRenaming(true)}
      >
        <Pencil size={13} aria-hidden="true" />
      </IconButton>
      <IconButton label={`Delete the saved search ${name}`} onClick={onDelete}>
        <Trash2 size={13} aria-hidden="true" />
      </IconButton>
    </li>
  );
}

/** Beside the query: a name for it. */
export function SaveSearch({ q }: { q: string }) {
  const { data } = useSavedSearches();
  // Null: the form was closed, and its button is where the keyboard goes on.
  const [isOpen, setOpen] = useState<boolean | null>(false);
  const known = data?.searches.find(({ query }) => query === q.trim());
  if (isOpen === true) return <NameForm query={q} old={known?.name} onClose={() => setOpen(null)} />;
  return (
    <span className="flex min-w-0 items-center gap-1 text-12 text-ink-2">
      {known !== undefined && (
        <span className="min-w-0 truncate">
          Saved as <SafeText text={known.name} />
        </span>
      )}
      <Button
        kind="quiet"
        aria-label={known && renameLabel(known.name)}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the form that had the focus
        autoFocus={isOpen === null}
        onClick={() => setOpen(true)}
      >
        {known === undefined ? "Save search" : "Rename"}
      </Button>
    </span>
  );
}

type NameFormProps = {
  query: string;
  /** The name that it has; undefined where it is not saved yet. */
  old: string | undefined;
  onClose: () => void;
  onSaved?: (name: string) => void;
};

function NameForm({ query, old, onClose, onSaved }: NameFormProps) {
  const queries = useQueryClient();
  const { data } = useSavedSearches();
  const [typed, setTyped] = useState(old ?? "");
  const name = typed.trim();
  const save = useMutation({
    mutationFn: async () => {
      await send("PUT", "/api/searches", savedSearch, { name, query: query.trim() });
      if (old !== undefined && old !== name) await dropSearch(old);
    },
    onSuccess: () => {
      onSaved?.(name);
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: savedSearchesQuery.queryKey }),
  });
  const isTaken = name !== old && data?.searches.some((search) => search.name === name) === true;
  return (
    <form
      className="flex flex-wrap items-center gap-1"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (name === old) onClose();
        else if (name !== "") save.mutate();
      }}
    >
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed gives way to it
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onFocus={(event) => event.target.select()}
        onKeyDown={(event) => event.key === "Escape" && onClose()}
        aria-label="Name of the search"
        placeholder="Name"
        maxLength={80}
        className="h-7 w-40 rounded-2 border border-line-strong bg-raised px-2"
      />
      <Button type="submit" disabled={save.isPending} title={save.isPending ? "It is being saved" : undefined}>
        {isTaken ? "Replace" : old === undefined ? "Save" : "Rename"}
      </Button>
      {save.error !== null && <span role="alert">{failureOf(save.error).message}</span>}
    </form>
  );
}
