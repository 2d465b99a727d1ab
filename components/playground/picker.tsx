"use client";
// Which artifact is asked: those of its session first, any other by a search. Enter asks it; the plus reads it as well.
import { useQueries, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import type { ArtifactRow, ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { JSON_TYPES, pickerGroups } from "./picker-groups.ts";
import { choicesQuery } from "./playground-queries.ts";

const NAME_CHARS = 120;

type PickerProps = {
  /** The artifact that is asked. */
  artifact: ArtifactView | undefined;
  /** The address names one that is not here yet. */
  isComing: boolean;
  /** Pointers of all that are read. */
  read: readonly string[];
  onPick: (pointer: string) => void;
  /** Null when no more can be read. */
  onAdd: ((pointer: string) => void) | null;
};

export function Picker({ artifact, isComing, read, onPick, onAdd }: PickerProps) {
  const [words, setWords] = useState("");
  const request = useDeferredValue(words.trim());
  const session = request === "" ? (artifact?.sessionId ?? null) : null;
  const listed = useQuery(choicesQuery(session, request));
  const all = useQuery(choicesQuery(null, ""));
  // The newest fifty of a session may hold no JSON: that is asked for by itself.
  const json = useQueries({ queries: JSON_TYPES.map((type) => choicesQuery(session, request, type)) });
  const others = request === "" ? (all.data?.artifacts ?? []) : [];
  const rows = [...json.flatMap(({ data }) => data?.artifacts ?? []), ...(listed.data?.artifacts ?? []), ...others];
  const groups = pickerGroups(rows, session);
  // At first all of them at once: one after the other they would push each other about.
  const [isShown, setShown] = useState(false);
  const isWaiting =
    isComing ||
    [listed, ...json, ...(request === "" ? [all] : [])].some(
      ({ data, error, isPlaceholderData }) => error === null && (!data || isPlaceholderData),
    );
  if (!isWaiting && !isShown) setShown(true);
  const total = (request === "" ? all.data : listed.data)?.total ?? 0;
  const more = total - groups.reduce((sum, group) => sum + group.rows.length, 0);
  return (
    <section aria-label="Artifact" className={`flex flex-col ${artifact ? "min-h-0 flex-none" : "min-h-60 flex-auto"}`}>
      <div className="flex items-baseline gap-2 pr-4 pl-6 max-lg:pl-4">
        <h2 className="text-15 font-semibold">Artifact</h2>
        <span className="flex-1" />
        <span className="text-12 text-ink-3">
          {session !== null && listed.data && `${formatTokens(listed.data.total)} in this session, `}
          {all.data && `${formatTokens(all.data.total)} in all`}
        </span>
      </div>
      <div className="pt-1 pr-4 pb-2 pl-6 max-lg:pl-4">
        <SearchField
          label="Name or digest"
          group="Playground"
          value={words}
          onChange={setWords}
          found={request === "" || !listed.data ? null : formatTokens(listed.data.total)}
        />
      </div>
      {listed.error ? (
        <div className="px-6 pb-2">
          <RequestFailure error={listed.error} title="The artifacts could not be loaded" />
        </div>
      ) : !isShown || listed.data === undefined ? (
        <div className="px-6">
          <Loading rows={7} height={46} label="Loading artifacts" />
        </div>
      ) : rows.length === 0 ? (
        <p className="px-6 pb-2 text-12 text-ink-3">
          {request === "" ? "No artifact is stored yet. Paste a text to try jq." : "No artifact has that in its name."}
        </p>
      ) : (
        <div className={`min-h-0 overflow-y-auto max-lg:max-h-60 ${artifact ? "max-h-[38vh]" : "flex-auto"}`}>
          {groups.map((group) => (
            <div key={group.session}>
              <h3 className="truncate pt-2 pr-4 pb-0.5 pl-6 text-12 font-semibold text-ink-2 max-lg:pl-4">
                <SafeText text={group.title.slice(0, NAME_CHARS)} />
              </h3>
              <ul aria-label={shownText(group.title.slice(0, NAME_CHARS))}>
                {group.rows.map((row) => (
                  <Choice
                    key={row.pointer}
                    row={row}
                    isChosen={row.pointer === artifact?.pointer}
                    isRead={read.includes(row.pointer)}
                    onPick={onPick}
                    onAdd={onAdd}
                  />
                ))}
              </ul>
            </div>
          ))}
          {more > 0 && (
            <p className="py-1.5 pr-4 pl-6 text-12 text-ink-3">{formatTokens(more)} more: search for them.</p>
          )}
        </div>
      )}
    </section>
  );
}

type ChoiceProps = {
  row: ArtifactRow;
  isChosen: boolean;
  isRead: boolean;
  onPick: (pointer: string) => void;
  /** Null when no more can be read. */
  onAdd: ((pointer: string) => void) | null;
};

function Choice({ row, isChosen, isRead, onPick, onAdd }: ChoiceProps) {
  const name = artifactTitle(row).slice(0, NAME_CHARS);
  return (
    <li className={`group relative flex ${isRead ? "bg-select" : "hover:bg-sunk"}`}>
      <button
        type="button"
        aria-current={isChosen ? "true" : undefined}
        onClick={() => onPick(row.pointer)}
        className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] gap-x-2 py-1.25 pr-4 pl-6 text-left text-12 text-ink-3 focus-visible:-outline-offset-2 max-lg:pl-4"
      >
        <span className="truncate text-13 font-medium text-ink">
          <SafeText text={name} />
        </span>
        <span className="num text-ink-2">{formatBytes(row.sizeBytes)}</span>
        <span className="truncate">
          <SafeText text={row.shape ?? row.contentType} />
        </span>
        <span className="num">{row.seq === null ? "stored" : `event ${formatTokens(row.seq)}`}</span>
      </button>
      {!isRead && onAdd !== null && (
        <button
          type="button"
          aria-label={`Read ${shownText(name)} as well`}
          title="Read it as well: jq reads several inputs one after the other"
          onClick={() => onAdd(row.pointer)}
          className="absolute right-1 bottom-0.5 hidden size-5 place-items-center rounded-1 bg-raised text-ink-2 shadow-[inset_0_0_0_1px_var(--line-strong)] group-focus-within:grid group-hover:grid hover:text-ink"
        >
          <Plus size={12} aria-hidden="true" />
        </button>
      )}
    </li>
  );
}
