"use client";
// Chooses a session by its words, newest first.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { sessionsAnswer, type SessionRow } from "#lib/wire/sessions-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { formatPercent } from "../ui/format.ts";
import { PickList, type Pick } from "../ui/pick-list.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";

const FOUND = 12;

type PickSessionProps = { label: string; other: string | null; onPick: (id: string) => void };

export function PickSession({ label, other, onPick }: PickSessionProps) {
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
    <PickList
      label={label}
      placeholder="A word from a session"
      text={text}
      onText={setText}
      found={data === undefined ? null : found.map(pickOf)}
      none="No session holds these words."
      loading="Loading the sessions"
      onPick={onPick}
    />
  );
}

function pickOf({ id, title, startedAt, peak: { tokens, loadLine } }: SessionRow): Pick {
  return {
    id,
    name: <SafeText text={title || "Untitled session"} />,
    about: (
      <>
        <span className="flex-none text-12 text-ink-3">
          <When ts={startedAt} show="day" />
        </span>
        <span className="num w-14 flex-none text-12 text-ink-2" title="Peak, of its load line">
          {tokens === null || loadLine === null ? "–" : formatPercent(tokens / loadLine)}
        </span>
      </>
    ),
  };
}
