"use client";
// What completes a query while it is typed: fields, then their values. A hook for the field's keys; the list is beside it.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { fetched } from "../ui/fetched.tsx";
import type { Completion } from "./query-choices.ts";

const FRESH_MS = 60_000;

/** Stands below the field while `isOpen`. */
export const CompletionList = fetched(() => import("./completion-list.tsx").then((list) => list.CompletionList));

const choices = () => import("./query-choices.ts");

/** What completes a query; nothing until somebody is in the field. */
function useChoices(isInField: boolean) {
  const options = { enabled: isInField, staleTime: FRESH_MS, retry: false };
  const writing = useQuery({ queryKey: ["query-choices"], queryFn: choices, ...options, staleTime: Infinity }).data;
  const values = useQuery({
    queryKey: ["search", "values"],
    queryFn: async ({ signal }) => (await choices()).queryValues(signal),
    ...options,
  }).data;
  const labels = useQuery({
    queryKey: ["labels"],
    queryFn: async ({ signal }) => (await choices()).queryLabels(signal),
    ...options,
  }).data;
  return { writing, facets: values?.facets, labels: labels?.labels };
}

export function useCompletions(
  value: string,
  onChange: (value: string) => void,
  field: RefObject<HTMLInputElement | null>,
) {
  const list = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  const moveTo = useRef<number | null>(null);
  const { writing, facets, labels } = useChoices(caret !== null);
  const found = caret === null ? null : writing?.completionsAt(value, caret, facets, labels);
  const options = found?.options ?? [];
  const isOpen = options.length > 0;
  useEffect(() => {
    if (moveTo.current === null) return;
    field.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = null;
  });
  const take = ({ insert }: Completion) => {
    const next = writing!.completed(value, found!, insert);
    moveTo.current = next.caret;
    setCaret(next.caret);
    setChosen(-1);
    onChange(next.q);
    field.current?.focus();
  };
  const step = (by: number) =>
    setChosen((now) => (now + by + options.length + (now < 0 && by < 0 ? 1 : 0)) % options.length);

  /** True when the key was for the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (!isOpen) return false;
    const picked = options[chosen];
    if (event.key === "Escape") setCaret(null);
    else if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter" && picked !== undefined) take(picked);
    else if (event.key === "Tab" && !event.shiftKey) take(picked ?? options[0]!);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  return {
    ...{ list, options, isOpen, chosen, take, onKey },
    close: () => setCaret(null),
    /** Of the field. */
    props: {
      role: "combobox",
      "aria-expanded": isOpen,
      "aria-controls": list,
      "aria-autocomplete": "list",
      "aria-activedescendant": isOpen && chosen >= 0 ? `${list}-${chosen}` : undefined,
      autoComplete: "off",
      autoCapitalize: "off",
      spellCheck: false,
      onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
        onChange(event.target.value);
        setCaret(event.target.selectionStart);
        setChosen(-1);
      },
      onBlur: () => setCaret(null),
    } as const,
  };
}
