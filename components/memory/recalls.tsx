"use client";
// What came back into the context: every recall is logged, with what it asked and which artifacts it brought.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { type MemoryAnswer } from "#lib/wire/memory-schema.ts";
import { recallAnswer, type RecallAnswer } from "#lib/wire/recall-schema.ts";
import { EventLinks } from "../shared/event-links.tsx";
import { artifactPath } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { useEventParam, useMemoryState } from "../shared/url-state.ts";
import { TextInput } from "../ui/field.tsx";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { GivenText } from "./given-text.tsx";
import { sessionPath } from "../shared/memory-queries.ts";
import type { RecallRow } from "./memory-view.ts";

/** Newest first; more are in `plimsoll memory --json`. */
const SHOWN = 50;

type RecallsProps = { answer: MemoryAnswer; turns: ReadonlyMap<number, string>; onOpen: (seq: number) => void };

export function Recalls({ answer, turns, onOpen }: RecallsProps) {
  const [{ turn }] = useMemoryState();
  const recalls = answer.recalls
    .filter((recall) => turn === null || recall.turn === turn)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <section aria-label="Recalls" className="mt-5 px-6 max-md:px-4">
      <div className="flex items-baseline gap-2 border-b border-line-strong pb-1">
        <h2 className="text-13 font-semibold">Recalled{turn !== null && ` into turn ${turn}`}</h2>
        <span className="text-12 text-ink-3">
          {recalls.length === 0 ? "nothing yet" : formatCount(recalls.length, "time")}
        </span>
      </div>
      <ul>
        {recalls.slice(0, SHOWN).map((recall) => (
          <Recall
            key={`${recall.createdAt} ${recall.at} ${recall.query}`}
            recall={recall}
            title={recall.turn === null ? undefined : turns.get(recall.turn)}
            onOpen={onOpen}
          />
        ))}
      </ul>
      {recalls.length > SHOWN && (
        <p className="py-1 text-12 text-ink-3">
          The last {SHOWN} of {recalls.length.toLocaleString("en-US")} are shown.
        </p>
      )}
      <TryRecall />
    </section>
  );
}

type RecallProps = { recall: RecallRow; title: string | undefined; onOpen: (seq: number) => void };

function Recall({ recall, title, onOpen }: RecallProps) {
  const [, choose] = useMemoryState();
  const { turn } = recall;
  return (
    <li className="border-b border-line py-1.5 text-12">
      <p className="flex flex-wrap items-baseline gap-x-2">
        {turn !== null && (
          <button type="button" className="link" title={title} onClick={() => void choose({ turn })}>
            turn {turn}
          </button>
        )}
        {recall.at !== null && (
          <span className="text-ink-3">
            at event <EventLinks seqs={[recall.at]} onOpen={onOpen} />
          </span>
        )}
        <span className="min-w-0 flex-1 truncate text-ink-2">
          “<SafeText text={recall.query.slice(0, 300)} />”
        </span>
        <span className="text-ink-3">
          <When ts={recall.createdAt} />
        </span>
      </p>
      <p className="text-ink-3">
        {recall.items.length === 0
          ? "No match."
          : `${formatCount(recall.items.length, "artifact")}, ${formatCount(recall.chars, "character")}`}
        {recall.omitted > 0 && `, ${formatCount(recall.omitted, "more", "more")} over the budget`}
      </p>
      <ul>
        {recall.items.map(({ artifactId, pointer, summary }) => (
          <li key={pointer} className="truncate">
            <Link prefetch={false} className="link" title={artifactId} href={artifactPath(pointer)}>
              {summary === null ? <span className="mono">{artifactId}</span> : <SafeText text={summary} />}
            </Link>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** What would come back for these words, as the agent would be given it. */
function TryRecall() {
  const { id } = useSession();
  const [event] = useEventParam();
  const queries = useQueryClient();
  const [query, setQuery] = useState("");
  const recall = useMutation({
    mutationFn: () => api(withQuery(`${sessionPath(id)}/recall`, { query: query.trim(), at: event }), recallAnswer),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["session", id, "memory"] }),
  });
  return (
    <form
      className="mt-2"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (query.trim() !== "") recall.mutate();
      }}
    >
      <div className="flex max-w-160 items-center gap-2">
        <TextInput
          aria-label="Recall query"
          placeholder="Words of the next turn"
          maxLength={4000}
          value={query}
          onChange={(changed) => setQuery(changed.target.value)}
        />
        <Button
          small
          type="submit"
          disabled={query.trim() === "" || recall.isPending}
          title={query.trim() === "" ? "Enter a query first" : "Logged like an agent's query"}
        >
          Recall
        </Button>
      </div>
      {recall.error !== null && (
        <div className="mt-1">
          <RequestFailure error={recall.error} title="Nothing was recalled" />
        </div>
      )}
      {recall.data !== undefined && recall.error === null && <Recalled answer={recall.data} />}
    </form>
  );
}

function Recalled({ answer }: { answer: RecallAnswer }) {
  if (answer.items.length === 0)
    return <output className="mt-1 block text-12 text-ink-3">No artifact of this session fits these words.</output>;
  return (
    <output className="mt-1 block">
      <p className="text-12 text-ink-3">
        {formatCount(answer.items.length, "artifact")}, {formatCount(answer.chars, "character")}
        {answer.omitted > 0 && `, ${answer.omitted} more over the budget`}. The agent would be given:
      </p>
      <GivenText text={answer.text} label="Preview for the agent" />
    </output>
  );
}
