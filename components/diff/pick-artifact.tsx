"use client";
// Chooses an artifact to compare: what belongs to the other side first, then any by a word.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { artifactsAnswer, type ArtifactRow } from "#lib/wire/artifacts-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { formatBytes } from "../ui/format.ts";
import { PickList, type Pick } from "../ui/pick-list.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import type { CompareSide } from "./compare-side.ts";
import { useOthers } from "./other-results.ts";

const FOUND = 12;

type PickArtifactProps = {
  label: string;
  /** The side that stands already. */
  other: CompareSide | null;
  onPick: (ref: string) => void;
};

export function PickArtifact({ label, other, onPick }: PickArtifactProps) {
  const [text, setText] = useState("");
  const request = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ["artifacts", "pick", request],
    queryFn: ({ signal }) =>
      api(
        withQuery("/api/artifacts", { q: request, state: "live", sort: "created", limit: FOUND + 1 }),
        artifactsAnswer,
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const found = (data?.artifacts ?? []).filter(({ pointer }) => pointer !== other?.pointer).slice(0, FOUND);
  return (
    <div className="max-w-160">
      {other !== null && <Suggested side={other} onPick={onPick} />}
      <PickList
        label={label}
        placeholder="Name, digest or pointer"
        text={text}
        onText={setText}
        found={data === undefined ? null : found.map(pickOf)}
        none={request === "" ? "No other artifact is stored yet." : "No artifact has these words in its name."}
        loading="Loading the artifacts"
        onPick={onPick}
      />
    </div>
  );
}

const pickOf = (artifact: ArtifactRow): Pick => ({
  id: artifact.pointer,
  name: <SafeText text={artifactTitle(artifact)} />,
  about: (
    <>
      <span className="flex-none text-12 text-ink-3">
        <When ts={artifact.createdAt} />
      </span>
      <span className="num w-16 flex-none text-12 text-ink-2">{formatBytes(artifact.sizeBytes)}</span>
    </>
  ),
});

const SUGGESTED = {
  name: "Under the same name",
  call: "Another result of the same call",
  file: "Another read of the same file",
  command: "Another run of the same command",
};

function Suggested({ side, onPick }: { side: CompareSide; onPick: (ref: string) => void }) {
  const { others } = useOthers(side, true);
  if (others.length === 0) return null;
  return (
    <section aria-label="Likely ones" className="mb-5">
      <h2 className="text-15 font-semibold">Other versions of it</h2>
      <ul className="mt-1">
        {others.map(({ ref, why, at }) => (
          <li key={ref} className="border-b border-line">
            <button
              type="button"
              className="flex h-8 w-full items-center gap-3 px-1 text-left hover:bg-sunk"
              onClick={() => onPick(ref)}
            >
              <span className="flex-1">{SUGGESTED[why]}</span>
              <span className="text-12 text-ink-3">{why === "name" ? <When ts={at} /> : at}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
