"use client";
// Chooses a session by its words, newest first.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";
import { sessionsAnswer } from "#lib/wire/sessions.ts";
import { api, withQuery } from "../ui/api.ts";
import { formatPercent } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";

const FOUND = 12;

type PickSessionProps = { label: string; other: string | null; onPick: (id: string) => void };

export function PickSession({ label, other, onPick }: PickSessionProps) {
  const id = useId();
  const [text, setText] = useState("");
  const asked = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ["sessions", "pick", asked],
    queryFn: ({ signal }) =>
      api(withQuery("/api/sessions", { q: asked, limit: FOUND + 1 }), sessionsAnswer, { signal }),
    placeholderData: keepPreviousData,
  });
  const found = (data?.sessions ?? []).filter((session) => session.id !== other).slice(0, FOUND);
  return (
    <>
      <label htmlFor={id} className="text-15 font-semibold">
        {label}
      </label>
      <input
        id={id}
        type="search"
        value={text}
        placeholder="A word from a session"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        className="mt-2 block h-7 w-full rounded-2 border border-line-strong bg-raised px-2 hover:border-control"
      />
      {data ? (
        <ul className="mt-2">
          {found.map((session) => {
            const { tokens, loadLine } = session.peak;
            return (
              <li key={session.id} className="border-b border-line">
                <button
                  type="button"
                  className="flex h-8 w-full items-center gap-3 px-1 text-left hover:bg-sunk"
                  onClick={() => onPick(session.id)}
                >
                  <span className="min-w-0 flex-1 truncate">
                    <SafeText text={session.title || "Untitled session"} />
                  </span>
                  <span className="flex-none text-12 text-ink-3">
                    <When ts={session.startedAt} show="day" />
                  </span>
                  <span className="num w-14 flex-none text-12 text-ink-2" title="Peak, of its load line">
                    {tokens === null || loadLine === null ? "–" : formatPercent(tokens / loadLine)}
                  </span>
                </button>
              </li>
            );
          })}
          {found.length === 0 && <li className="py-2 text-ink-3">No session holds these words.</li>}
        </ul>
      ) : (
        <Loading rows={8} label="Loading the sessions" />
      )}
    </>
  );
}
