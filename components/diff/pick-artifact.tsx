"use client";
// Chooses an artifact to compare: what belongs to the other side first, then any by a word.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";
import { artifactsAnswer, type ArtifactView } from "#lib/wire/artifacts.ts";
import { nameOf } from "../artifact/copy-as.ts";
import { api, withQuery } from "../ui/api.ts";
import { formatBytes } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { useOthers } from "./other-results.ts";

const FOUND = 12;

type PickArtifactProps = {
  label: string;
  /** The side that stands already. */
  other: ArtifactView | null;
  onPick: (pointer: string) => void;
};

export function PickArtifact({ label, other, onPick }: PickArtifactProps) {
  const id = useId();
  const [text, setText] = useState("");
  const asked = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ["artifacts", "pick", asked],
    queryFn: ({ signal }) =>
      api(
        withQuery("/api/artifacts", { q: asked, state: "live", sort: "created", limit: FOUND + 1 }),
        artifactsAnswer,
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const found = (data?.artifacts ?? []).filter(({ pointer }) => pointer !== other?.pointer).slice(0, FOUND);
  return (
    <div className="max-w-160">
      {other !== null && <Suggested artifact={other} onPick={onPick} />}
      <label htmlFor={id} className="text-15 font-semibold">
        {label}
      </label>
      <input
        id={id}
        type="search"
        value={text}
        placeholder="Name, digest or pointer"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        className="mt-2 block h-7 w-full rounded-2 border border-line-strong bg-raised px-2 hover:border-control"
      />
      {data ? (
        <ul className="mt-2">
          {found.map((artifact) => (
            <li key={artifact.pointer} className="border-b border-line">
              <button
                type="button"
                className="flex h-8 w-full items-center gap-3 px-1 text-left hover:bg-sunk"
                onClick={() => onPick(artifact.pointer)}
              >
                <span className="min-w-0 flex-1 truncate">
                  <SafeText text={nameOf(artifact)} />
                </span>
                <span className="flex-none text-12 text-ink-3">
                  <When ts={artifact.createdAt} />
                </span>
                <span className="num w-16 flex-none text-12 text-ink-2">{formatBytes(artifact.sizeBytes)}</span>
              </button>
            </li>
          ))}
          {found.length === 0 && <li className="py-2 text-ink-3">No artifact has these words in its name.</li>}
        </ul>
      ) : (
        <Loading rows={8} label="Loading the artifacts" />
      )}
    </div>
  );
}

function Suggested({ artifact, onPick }: { artifact: ArtifactView; onPick: (pointer: string) => void }) {
  const { others } = useOthers(artifact, true);
  if (others.length === 0) return null;
  return (
    <section aria-label="Likely ones" className="mb-5">
      <h2 className="text-15 font-semibold">Other versions of it</h2>
      <ul className="mt-1">
        {others.map(({ pointer, why, at }) => (
          <li key={pointer} className="border-b border-line">
            <button
              type="button"
              className="flex h-8 w-full items-center gap-3 px-1 text-left hover:bg-sunk"
              onClick={() => onPick(pointer)}
            >
              <span className="flex-1">
                {why === "name" ? "Under the same name" : "Another result of the same call"}
              </span>
              <span className="text-12 text-ink-3">{why === "name" ? <When ts={at} /> : at}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
