"use client";
// What jq wrote, as a table: values one after the other, or one list.
import { useMemo } from "react";
import { useLocalChoices } from "./column-choices.ts";
import { TableView } from "./table-view.tsx";
import type { TableSource } from "./table-words.ts";

/** `isCut`: more was written than is here. */
export function ResultTable({ text, isCut }: { text: string; isCut: boolean }) {
  const source = useMemo<TableSource>(() => ({ kind: "text", text, format: "values" }), [text]);
  const choices = useLocalChoices();
  return (
    <TableView
      source={source}
      choices={choices}
      name="jq result"
      note={isCut ? "Output cut: rows at the end are missing. Download it whole, or narrow the program." : null}
    />
  );
}
