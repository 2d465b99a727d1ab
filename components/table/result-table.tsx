"use client";
// What jq wrote, as a table: values one after the other, or one list.
import { useMemo, type ComponentProps } from "react";
import { useLocalChoices } from "./column-choices.ts";
import { TableView } from "./table-view.tsx";
import type { TableSource } from "./table-words.ts";

type ResultTableProps = { text: string; isCut: boolean } & Pick<
  ComponentProps<typeof TableView>,
  "asks" | "renderBelow"
>;

/** `isCut`: more was written than is here. */
export function ResultTable({ text, isCut, asks, renderBelow }: ResultTableProps) {
  const source = useMemo<TableSource>(() => ({ kind: "text", text, format: "values" }), [text]);
  const choices = useLocalChoices();
  return (
    <TableView
      source={source}
      choices={choices}
      name="jq result"
      asks={asks}
      renderBelow={renderBelow}
      note={isCut ? "Output cut: rows at the end are missing. Download it whole, or narrow the program." : null}
    />
  );
}
