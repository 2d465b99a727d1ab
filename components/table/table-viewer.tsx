"use client";
import { useMemo } from "react";
import type { ViewerProps } from "../shared/content-kind.ts";
import { isCsv, isJsonLines } from "../shared/content-kind.ts";
import { nameOf } from "../shared/copy-as.ts";
import { rawArtifactPath } from "../shared/session-queries.ts";
import { formatBytes } from "../ui/format.ts";
import { useUrlChoices } from "./column-choices.ts";
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
