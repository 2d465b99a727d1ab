"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { usePathname, useRouter } from "next/navigation";
import { useDeferredValue, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { artifactsAnswer, type ArtifactRow } from "#lib/wire/artifacts-schema.ts";
import { sessionsAnswer, type SessionRow } from "#lib/wire/sessions-schema.ts";
import { usePages } from "./nav.tsx";
import { sessionHref, snippetNearHit } from "../sessions/session-table-rows.ts";
import { completed, completionsAt } from "../shared/query-choices.ts";
import { askedQuery } from "../ui/typed.ts";
import { useSavedSearches } from "../shared/use-saved-searches.ts";
import { useSeesAll, useWrites } from "../ui/access-context.ts";
import { TABS } from "../shared/url-state.ts";
import { api, failureOf, withQuery } from "../ui/api.ts";
import { Dialog } from "../ui/dialog.tsx";
import { formatBytes } from "../ui/format.ts";
import { Keys } from "../ui/kbd.tsx";
import { Hits, SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { loadDemo } from "../shared/import-state.ts";
import { paletteKeys } from "./palette-keys.ts";

type PaletteProps = { onClose: () => void; onTheme: () => void; onGuide: () => void };

/** Of each kind; the lists themselves have the rest. */
const FOUND = 6;

type Entry = {
  readonly id: string;
  readonly name: ReactNode;
  readonly hint?: ReactNode;
  /** A second line. */
  readonly detail?: ReactNode;
  readonly run: () => void;
};
type Group = { readonly heading: string; readonly entries: readonly Entry[] };

/** Search everything: pages, sessions and artifacts by any word in them, and what can be done. */
export function PaletteLayer({ onClose, onTheme, onGuide }: PaletteProps) {
  const router = useRouter();
  const seesAll = useSeesAll();
  const writes = useWrites();
  const path = usePathname();
  const field = useRef<HTMLInputElement>(null);
  const { text, enter } = useSyncExternalStore(paletteKeys.subscribe, paletteKeys.get, paletteKeys.get);
  const [chosen, setChosen] = useState<string | null>(null);
  const typed = text.trim();
  const request = useDeferredValue(askedQuery(typed));
  const sessions = useQuery({
    queryKey: ["sessions", "palette", request],
    queryFn: ({ signal }) =>
      api(withQuery("/api/sessions", { q: request, pin: "title", limit: FOUND }), sessionsAnswer, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const artifacts = useQuery({
    queryKey: ["artifacts", "palette", request],
    queryFn: ({ signal }) =>
      api(withQuery("/api/artifacts", { q: request, limit: FOUND, sort: "created" }), artifactsAnswer, { signal }),
    placeholderData: keepPreviousData,
    enabled: request !== "",
  });
  const saved = useSavedSearches();
  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  const act = (run: () => void) => {
    onClose();
    run();
  };
  const matches = (name: string) => name.toLowerCase().includes(typed.toLowerCase());
  const pages = usePages().map((page) => ({
    id: page.href,
    name: page.name,
    hint: <Keys keys={`g ${page.key}`} />,
    run: () => go(page.href),
  }));
  const ofServer = [
    { id: "import", name: "Import files or a folder", run: () => go("/sources") },
    { id: "demo", name: "Load the demo", run: () => act(() => void loadDemo()) },
    { id: "compare", name: "Compare two sessions", run: () => go("/sessions/compare") },
  ];
  const actions = [
    ...(seesAll ? ofServer : []),
    { id: "theme", name: "Change the theme", run: () => act(onTheme) },
    { id: "guide", name: "Guide: shortcuts and words", hint: <Keys keys="?" />, run: () => act(onGuide) },
  ];
  const groups: Group[] = [
    { heading: "Pages", entries: pages.filter(({ name }) => matches(name)) },
    { heading: "This session", entries: hereOf(path, writes, go).filter(({ name }) => matches(name)) },
    {
      heading: request === "" ? "Latest sessions" : `Sessions, ${sessions.data?.total ?? 0} found`,
      entries: (sessions.data?.sessions ?? []).map((session) => sessionEntry(session, request, go)),
    },
    {
      heading: `Artifacts, ${artifacts.data?.total ?? 0} found`,
      entries: request === "" ? [] : (artifacts.data?.artifacts ?? []).map((artifact) => artifactEntry(artifact, go)),
    },
    { heading: "Everywhere", entries: request === "" ? [] : [everywhereEntry(request, go)] },
    {
      heading: "Saved searches",
      entries: (saved.data?.searches ?? [])
        .filter(({ name }) => matches(name))
        .map(({ name, query }) => savedEntry(name, query, go)),
    },
    { heading: "Fields", entries: fieldEntries(text, (next) => paletteKeys.set({ text: next, enter: false })) },
    { heading: "Actions", entries: actions.filter(({ name }) => matches(name)) },
  ].filter(({ entries }) => entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  // The first result is selected until the reader selects another, also when results come later than the typing.
  const selected = entries.some(({ id }) => id === chosen) ? (chosen ?? "") : (entries[0]?.id ?? "");
  const isFresh =
    request === askedQuery(typed) && !sessions.isPlaceholderData && !sessions.isPending && !isWaiting(artifacts);
  const first = useRef<(() => void) | undefined>(undefined);
  useEffect(() => {
    first.current = entries.find(({ id }) => id === selected)?.run;
  });
  // Enter that came before its results opens the first of them.
  useEffect(() => {
    if (!enter || !isFresh) return;
    paletteKeys.set({ enter: false });
    first.current?.();
  }, [enter, isFresh, first]);

  return (
    <Dialog open onClose={onClose} title="Search everything" width={600} focus={field}>
      <Command
        shouldFilter={false}
        label="Search everything"
        loop
        value={selected}
        onValueChange={setChosen}
        onKeyDownCapture={(event) => {
          if (event.key !== "Enter" || isFresh || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.stopPropagation();
          paletteKeys.set({ enter: true });
        }}
      >
        <Command.Input
          ref={field}
          value={text}
          onValueChange={(next) => {
            setChosen(null);
            paletteKeys.set({ text: next, enter: false });
          }}
          onFocus={() => paletteKeys.release()}
          placeholder="A word from a session, a page, an action"
          className="mb-2 h-8 w-full rounded-2 border border-line-strong bg-raised px-2"
        />
        <Command.List className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-12 [&_[cmdk-group-heading]]:text-ink-3">
          {sessions.error !== null ? (
            <p role="alert" className="px-2 py-3 text-ink-2">
              <SafeText text={failureOf(sessions.error).message} />
            </p>
          ) : (
            isFresh && <Command.Empty className="px-2 py-3 text-ink-2">Nothing found for these words.</Command.Empty>
          )}
          {groups.map((group) => (
            <Command.Group key={group.heading.split(",")[0]} heading={group.heading}>
              {group.entries.map((entry) => (
                <Item key={entry.id} entry={entry} />
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}

const isWaiting = (query: { isFetching: boolean; isPlaceholderData: boolean; data: unknown }): boolean =>
  query.isPlaceholderData || (query.isFetching && query.data === undefined);

const TAB_NAMES: Record<(typeof TABS)[number], string> = {
  transcript: "Transcript",
  load: "Load",
  tools: "Tools",
  memory: "Memory",
  context: "Context",
  artifacts: "Artifacts of this session",
};

/** On a session's page: its tabs, and its compaction. */
function hereOf(path: string, writes: boolean, go: (href: string) => void): (Entry & { readonly name: string })[] {
  const [, id] = /^\/sessions\/(s_[0-9a-f]{16})(?:\/|$)/u.exec(path) ?? [];
  if (id === undefined) return [];
  return [
    ...TABS.map((tab) => ({
      id: `tab ${tab}`,
      name: TAB_NAMES[tab],
      run: () => go(tab === "transcript" ? `/sessions/${id}` : `/sessions/${id}?tab=${tab}`),
    })),
    ...(writes ? [{ id: "compact", name: "Compact…", run: () => go(`/sessions/${id}/compact`) }] : []),
  ];
}

const sessionEntry = (session: SessionRow, q: string, go: (href: string) => void): Entry => ({
  id: session.id,
  name: <SafeText text={session.title || "Untitled session"} />,
  hint: <When ts={session.startedAt} show="day" />,
  detail: session.snippet === null ? undefined : <Hits text={snippetNearHit(session.snippet)} />,
  run: () => go(sessionHref(session, q)),
});

const savedEntry = (name: string, query: string, go: (href: string) => void): Entry => ({
  id: `saved ${name}`,
  name: <SafeText text={name} />,
  hint: <SafeText text={query.slice(0, 60)} />,
  run: () => go(`/search?${new URLSearchParams({ q: query })}`),
});

/** Fields and values that go on from what was typed last. */
const fieldEntries = (text: string, onText: (text: string) => void): Entry[] => {
  const found = completionsAt(text, text.length, undefined);
  return /[a-z]{2,}:?[^\s]*$/iu.test(text)
    ? found.options.map(({ insert, about }) => ({
        id: `field ${insert}`,
        name: <span className="mono">{insert.trim()}</span>,
        hint: about,
        run: () => onText(completed(text, found, insert).q),
      }))
    : [];
};

const everywhereEntry = (q: string, go: (href: string) => void): Entry => ({
  id: "everywhere",
  name: (
    <>
      All results for <SafeText text={q} />
    </>
  ),
  hint: "messages, results, artifacts",
  run: () => go(`/search?${new URLSearchParams({ q })}`),
});

const artifactEntry = (artifact: ArtifactRow, go: (href: string) => void): Entry => ({
  id: artifact.pointer,
  name: <SafeText text={artifactTitle(artifact)} />,
  hint: formatBytes(artifact.sizeBytes),
  run: () => go(`/artifacts/${encodeURIComponent(artifact.pointer)}`),
});

function Item({ entry }: { entry: Entry }) {
  return (
    <Command.Item
      value={entry.id}
      onSelect={entry.run}
      className="flex min-h-8 items-baseline gap-2 rounded-1 px-2 py-1.5 data-[selected=true]:bg-select"
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate">{entry.name}</span>
        {entry.detail !== undefined && <span className="block truncate text-12 text-ink-2">{entry.detail}</span>}
      </span>
      <span className="flex flex-none gap-1 text-12 text-ink-3">{entry.hint}</span>
    </Command.Item>
  );
}
