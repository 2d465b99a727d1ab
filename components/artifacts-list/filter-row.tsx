"use client";
// What the list of artifacts is narrowed to, each choice with its figure.
import type { ReactNode } from "react";
import { artifactOrigin, artifactState, type ArtifactRow, type ArtifactsAnswer } from "#lib/wire/artifacts-schema.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Facet } from "../ui/facet.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import type { Pages } from "../ui/use-pages.ts";
import { NO_FILTER, type ArtifactChoices } from "./artifact-filters.ts";
import { ORIGIN_WORDS } from "./columns.tsx";

type FilterRowProps = {
  pages: Pages<ArtifactsAnswer, ArtifactRow>;
  choices: ArtifactChoices;
  choose: (change: Partial<ArtifactChoices>) => unknown;
  filtered: boolean;
  /** At the end of the row. */
  children: ReactNode;
};

export function FilterRow({ pages, choices, choose, filtered, children }: FilterRowProps) {
  const { answer } = pages;
  const { state, origin } = choices;
  return (
    <div className="flex flex-none flex-wrap items-center gap-1 px-6 pt-3 pb-2 max-md:px-4">
      <Facet
        name="Tool"
        value={choices.tool}
        options={asOptions(answer?.tools)}
        onPick={(tool) => void choose({ tool })}
      />
      <Facet
        name="Type"
        value={choices.type}
        options={asOptions(answer?.types)}
        onPick={(type) => void choose({ type })}
      />
      <Facet
        name="State"
        value={state}
        options={artifactState.options.map((value) => ({ value, label: value }))}
        onPick={(next) => void choose({ state: artifactState.options.find((known) => known === next) ?? null })}
      />
      <Facet
        name="Origin"
        value={origin}
        options={artifactOrigin.options.map((value) => ({ value, label: ORIGIN_WORDS[value] }))}
        onPick={(next) => void choose({ origin: artifactOrigin.options.find((known) => known === next) ?? null })}
      />
      {choices.session !== null && (
        <Chip on hint={<SessionName pages={pages} />} onClear={() => void choose({ session: null })}>
          Session
        </Chip>
      )}
      {filtered && (
        <Button kind="quiet" small onClick={() => void choose(NO_FILTER)}>
          Clear
        </Button>
      )}
      <span className="flex-1" />
      {children}
    </div>
  );
}

function asOptions(facet: ArtifactsAnswer["tools"] | undefined) {
  return (facet ?? []).map((value) => ({ ...value, label: value.value }));
}

function SessionName({ pages }: { pages: Pages<ArtifactsAnswer, ArtifactRow> }) {
  const title = pages.answer?.artifacts[0]?.sessionTitle;
  return (
    <span className="inline-block max-w-60 truncate align-bottom">{title ? <SafeText text={title} /> : "one"}</span>
  );
}
