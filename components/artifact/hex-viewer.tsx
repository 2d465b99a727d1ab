"use client";
// Bytes as they are, 16 a row, fetched by Range where the reader looks.
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import type { ArtifactView } from "#lib/wire/artifacts.ts";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { HEX_BYTES, hexQuery } from "./artifact-queries.ts";
import { VirtualLines } from "./virtual-lines.tsx";
import { hexRow, ROW_BYTES } from "./hex.ts";

export function HexViewer({ artifact }: { artifact: ArtifactView }) {
  return (
    <VirtualLines count={Math.ceil(artifact.sizeBytes / ROW_BYTES)} label="Bytes of the artifact" start={null}>
      {(from, to) => <HexRows artifact={artifact} from={from} to={to} />}
    </VirtualLines>
  );
}

function HexRows({ artifact, from, to }: { artifact: ArtifactView; from: number; to: number }) {
  const first = Math.floor((from * ROW_BYTES) / HEX_BYTES);
  const last = Math.floor((Math.max(from, to - 1) * ROW_BYTES) / HEX_BYTES);
  const { pages, error } = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, i) => hexQuery(artifact.pointer, artifact.digest, first + i)),
    combine: gather,
  });
  if (error)
    return (
      <div className="p-6">
        <Failure code={failureOf(error).code} title="These bytes could not be read">
          {failureOf(error).message}
        </Failure>
      </div>
    );
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const offset = (from + i) * ROW_BYTES;
    const page = pages[Math.floor(offset / HEX_BYTES) - first];
    const { hex, text } = hexRow(page?.subarray(offset % HEX_BYTES, (offset % HEX_BYTES) + ROW_BYTES));
    return (
      <div key={offset} className="artifact-line">
        <span className="w-[10ch] flex-none pr-4 text-right text-ink-3">{offset.toString(16).padStart(8, "0")}</span>
        <code className="w-[50ch] flex-none">{hex}</code>
        <code className="text-ink-3">{text}</code>
      </div>
    );
  });
}

function gather(results: UseQueryResult<Uint8Array>[]) {
  return {
    pages: results.map((result) => result.data),
    error: results.find((result) => result.error)?.error ?? null,
  };
}
