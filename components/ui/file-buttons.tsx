"use client";
// A whole table as a file: fetched when a button is pressed, as the page may have a part of its rows alone.
import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Button } from "./button.tsx";
import { RequestFailure } from "./failure.tsx";
import { saveFile } from "./save-file.ts";

export type TableFile = {
  /** Without its ending. */
  readonly name: string;
  readonly csv: string;
  /** What the JSON holds. */
  readonly answer: unknown;
  /** What is left out of both. */
  readonly note?: string;
};

const FILES = [
  { kind: "csv", label: "CSV", title: "All rows as CSV" },
  { kind: "json", label: "JSON", title: "All rows as JSON" },
] as const;

type FileButtonsProps = { isEmpty: boolean; fileOf: () => Promise<TableFile> };

export function FileButtons({ isEmpty, fileOf }: FileButtonsProps) {
  const saved = useMutation({
    mutationFn: async (kind: "csv" | "json") => {
      const { name, csv, answer, note = null } = await fileOf();
      saveFile(kind === "csv" ? csv : JSON.stringify(answer), `${name}.${kind}`);
      return note;
    },
  });
  const why = isEmpty ? "There are no rows" : saved.isPending ? "The file is being made" : null;
  return (
    <span className="flex flex-wrap items-center justify-end gap-2">
      {saved.error !== null && <RequestFailure error={saved.error} title="The file was not made" />}
      {saved.data != null && <output className="text-12 text-ink-2">{saved.data}</output>}
      {FILES.map(({ kind, label, title }) => (
        <Button key={kind} small disabled={why !== null} title={why ?? title} onClick={() => saved.mutate(kind)}>
          <Download size={12} aria-hidden="true" />
          {label}
        </Button>
      ))}
    </span>
  );
}
