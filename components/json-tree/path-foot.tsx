"use client";
// Below a tree or a text: the value that is chosen, where it stands, and what can be done with it.
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { useState } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import type { JsonRow, JsonState } from "#lib/wire/json-tree-schema.ts";
import { Button } from "../ui/button.tsx";
import { formatBytes } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { notesOf } from "./tree-notes.ts";
import { locationQuery, storedText } from "./tree-queries.ts";
import { Check, Copy } from "lucide-react";

/** What is copied at once; of more the program to get it is copied. */
const COPY_BYTES = 5_000_000;
/** Of a long string so much is shown. */
const SHOWN_BYTES = 256_000;

const KIND_WORDS: Readonly<Partial<Record<JsonRow["kind"], string>>> = {
  true: "boolean",
  false: "boolean",
  broken: "a line that is not JSON",
  deep: "nested deeper than 512 levels",
};

type PathFootProps = { artifact: ArtifactView; path: string | null; state: JsonState | undefined };

export function PathFoot({ artifact, path, state }: PathFootProps) {
  const found = useQuery(locationQuery(artifact, path)).data;
  const chosen = path === null ? undefined : found?.location?.chain.at(-1);
  const [whole, setWhole] = useState<{ at: number; text: string } | null>(null);
  const [, setPanel] = useQueryStates({ panel: parseAsString, program: parseAsString, options: parseAsString });
  const program = found?.location?.path ?? null;
  const isInStream = state?.isStream ?? false;
  const notes = state ? notesOf(state) : [];
  const [shown, end] = [chosen, chosen?.end ?? null];
  return (
    <section aria-label="The chosen value" className="flex-none border-t border-line text-12 text-ink-3">
      {whole !== null && whole.at === shown?.at && (
        <section
          aria-label="The whole string"
          className="max-h-60 overflow-auto border-b border-line bg-sunk px-6 py-2 max-md:px-4"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
          tabIndex={0}
        >
          <pre className="font-mono text-12 break-words whitespace-pre-wrap text-ink-2">
            <SafeText text={whole.text} badge />
          </pre>
        </section>
      )}
      {shown && end !== null && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-6 py-1 max-md:px-4">
          <code
            className="min-w-0 truncate font-mono text-ink"
            title={program === null ? undefined : shownText(program)}
          >
            <SafeText text={program ?? "a path too long for a program"} />
          </code>
          <span className="whitespace-nowrap">
            {KIND_WORDS[shown.kind] ?? shown.kind}, {formatBytes(end - shown.at)}
          </span>
          {found?.isFound === false && (
            <span>
              There is nothing at <SafeText text={path ?? ""} />; showing the nearest parent.
            </span>
          )}
          <span className="flex-1" />
          {shown.kind === "string" && shown.chars !== null && (
            <Button
              small
              kind="quiet"
              onClick={() =>
                void (whole?.at === shown.at
                  ? Promise.resolve(setWhole(null))
                  : readWhole(artifact, shown, end).then(setWhole))
              }
            >
              {whole?.at === shown.at
                ? "Hide the string"
                : `Show all ${shown.chars.toLocaleString("en-US")} characters`}
            </Button>
          )}
          {program !== null && <CopyText text={async () => program}>Copy path</CopyText>}
          {shown.kind !== "document" && (
            <CopyText
              text={() => valueText(artifact, shown, end)}
              title={
                end - shown.at > COPY_BYTES
                  ? `It has ${formatBytes(end - shown.at)}; up to ${formatBytes(COPY_BYTES)} are copied. Download it.`
                  : undefined
              }
            >
              Copy value
            </CopyText>
          )}
          {program !== null && (
            <Button small onClick={() => void setPanel({ panel: "jq", program, options: isInStream ? "s" : null })}>
              Open in jq
            </Button>
          )}
        </div>
      )}
      <p className="px-6 py-1.5 max-md:px-4">
        {notes.length === 0 ? "Numbers, keys and their order are as stored." : `${notes.join("; ")}.`}
      </p>
    </section>
  );
}

async function valueText(artifact: ArtifactView, row: JsonRow, end: number): Promise<string> {
  if (end - row.at > COPY_BYTES) throw new Error("Too large to copy");
  return storedText(artifact, row.at, end);
}

async function readWhole(artifact: ArtifactView, row: JsonRow, end: number): Promise<{ at: number; text: string }> {
  const isCut = end - row.at > SHOWN_BYTES;
  const stored = await storedText(artifact, row.at, isCut ? row.at + SHOWN_BYTES : end);
  const { at } = row;
  if (isCut)
    return {
      at,
      text: `${stored}\n… first ${formatBytes(SHOWN_BYTES)} of ${formatBytes(end - row.at)}, as stored; the download has it all`,
    };
  try {
    return { at, text: JSON.parse(stored) as string };
  } catch {
    return { at, text: stored };
  }
}

const SAID_MS = 1600;

/** Copies a text that is fetched first, and says that it did, or why not. */
function CopyText({
  text,
  title,
  children,
}: {
  text: () => Promise<string>;
  title?: string | undefined;
  children: string;
}) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    const ended = await text()
      .then((copied) => navigator.clipboard.writeText(copied))
      .then(
        () => "Copied",
        (error: unknown) => (error instanceof DOMException ? "The browser did not let it" : (error as Error).message),
      );
    setSaid(ended);
    setTimeout(() => setSaid(null), SAID_MS);
  };
  return (
    <Button small kind="quiet" title={title} onClick={() => void copy()}>
      {said === "Copied" ? <Check size={12} aria-hidden="true" /> : <Copy size={12} aria-hidden="true" />}
      <span aria-live="polite">{said ?? children}</span>
    </Button>
  );
}
