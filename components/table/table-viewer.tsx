"use client";
import { useMemo } from "react";
import type { ViewerProps } from "../artifact/content-kind.ts";
import { isCsv, isJsonLines } from "../artifact/content-kind.ts";
import { nameOf } from "../artifact/copy-as.ts";
import { rawArtifactPath } from "../session/queries.ts";
import { formatBytes } from "../ui/format.ts";
import { useUrlChoices } from "./choices.ts";
import { TableView } from "./table-view.tsx";
import type { TableSource } from "./table-words.ts";

/** CSV, JSON lines and lists of objects, by rows and columns. */
export function TableViewer({ artifact }: ViewerProps) {
  const url = rawArtifactPath(artifact.pointer);
  const format = isCsv(artifact) ? "csv" : isJsonLines(artifact) ? "lines" : "list";
  const source = useMemo<TableSource>(
    () => ({ kind: "url", url, format, bytes: artifact.sizeBytes }),
    [url, format, artifact.sizeBytes],
  );
  const choices = useUrlChoices();
  return (
    <TableView
      source={source}
      choices={choices}
      name={nameOf(artifact).replace(/\.(?:csv|tsv|jsonl?|ndjson)$/iu, "")}
      download={
        <a className="link" href={url} download>
          Download all {formatBytes(artifact.sizeBytes)}
        </a>
      }
    />
  );
}
