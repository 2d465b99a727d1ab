"use client";
// What a reader chose of a table: in the address on an artifact's page, in memory beside a program that has the address.
import { parseAsArrayOf, parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useCallback, useMemo, useState } from "react";
import type { Sort } from "./arrange.ts";

export type Filter = { readonly column: number; readonly text: string };

export type Choices = {
  readonly sort: Sort;
  readonly query: string;
  readonly filters: readonly Filter[];
  readonly hidden: readonly number[];
  /** The chosen row, by its position in what is stored, from 0. */
  readonly row: number | null;
};
export type Choose = (change: Partial<Choices>) => void;

const NONE: Choices = { sort: null, query: "", filters: [], hidden: [], row: null };

export function useLocalChoices(): [Choices, Choose] {
  const [choices, setChoices] = useState(NONE);
  const choose = useCallback<Choose>((change) => setChoices((now) => ({ ...now, ...change })), []);
  return [choices, choose];
}

// Columns are named by their position, from 1: names may be long, alike or empty, and the bytes never change.
const PARSERS = {
  tsort: parseAsString,
  tq: parseAsString.withDefault(""),
  tfilter: parseAsArrayOf(parseAsString).withDefault([]),
  thide: parseAsArrayOf(parseAsInteger).withDefault([]),
  trow: parseAsInteger,
};

export function useUrlChoices(): [Choices, Choose] {
  const [request, setRequest] = useQueryStates(PARSERS, { history: "replace" });
  const choices = useMemo<Choices>(
    () => ({
      sort: sortOf(request.tsort),
      query: request.tq,
      filters: request.tfilter.flatMap((text) => filterOf(text) ?? []),
      hidden: request.thide.map((index) => index - 1),
      row: request.trow === null || request.trow < 1 ? null : request.trow - 1,
    }),
    [request],
  );
  const choose = useCallback<Choose>(
    ({ sort, query, filters, hidden, row }) =>
      void setRequest({
        ...(sort === undefined ? {} : { tsort: sort === null ? null : `${sort.column + 1}.${sort.dir}` }),
        ...(query === undefined ? {} : { tq: query === "" ? null : query }),
        ...(filters === undefined ? {} : { tfilter: filters.length === 0 ? null : filters.map(textOf) }),
        ...(hidden === undefined ? {} : { thide: hidden.length === 0 ? null : hidden.map((at) => at + 1) }),
        ...(row === undefined ? {} : { trow: row === null ? null : row + 1 }),
      }),
    [setRequest],
  );
  return [choices, choose];
}

function sortOf(text: string | null): Sort {
  const match = /^(\d{1,4})\.(asc|desc)$/u.exec(text ?? "");
  return match && Number(match[1]) > 0 ? { column: Number(match[1]) - 1, dir: match[2] as "asc" | "desc" } : null;
}

const textOf = ({ column, text }: Filter): string => `${column + 1}:${text}`;

function filterOf(text: string): Filter | null {
  const match = /^(\d{1,4}):(.*)$/su.exec(text);
  return match && Number(match[1]) > 0 ? { column: Number(match[1]) - 1, text: match[2] ?? "" } : null;
}
