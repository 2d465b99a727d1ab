// What the bench asks of a catalogue: each filter with each sort, usage, and searches of frequent and of rare words.
export type Ask = {
  readonly kind: "list" | "first" | "words" | "usage" | "groups" | "search" | "within";
  readonly name: string;
  readonly path: string;
};

const SORTS = ["active", "started", "title", "turns", "calls", "peak", "compactions", "artifacts", "cost", "avoidable"];

/** Values that filled sessions have (fleet-fill.ts): a frequent and a rare one of each. */
const FILTERS: Readonly<Record<string, string>> = {
  "no filter": "",
  "a frequent format": "format=claude-code",
  "a rare format": "format=cline",
  "a large folder": "project=/home/dev0/p0/repo-0",
  "a small folder": "project=/home/dev7/p19/repo-167",
  "a model of the last months": "model=claude-code-model-4",
  "a model of long ago": "model=cline-model-1",
  "a model without price": "model=local-codex",
  "state fine": "state=fine",
  "state refused": "state=refused",
  "state running": "state=running",
  "since a day": "since=day",
  "since a week": "since=week",
  "since a month": "since=month",
  "with artifacts": "artifacts=1",
  "format, model and state": "format=codex&model=codex-model-2&state=near",
  "folder and state": "project=/home/dev0/p0/repo-0&state=compacted",
  "month, format and artifacts": "since=month&format=codex&artifacts=1",
};

/** A word by its rank among those that texts are made of. */
const word = (rank: number): string => `w${(rank * 7919).toString(16)}`;

const WORDS: Readonly<Record<string, string>> = {
  "a word of nearly every text": "ballast",
  "a word of every other text": "cable",
  "a word of one text in ten": word(100),
  "a word of one text in a hundred": word(1000),
  "a word of one text in a thousand": word(10_000),
  "a word of one text": "session4711",
  "a word of none": "portcullis",
  "two frequent words": "ballast cable",
  "a frequent and a rare word": `ballast ${word(10_000)}`,
  "two words of one text in ten": `${word(100)} ${word(101)}`,
  "a phrase": '"ballast cable"',
  "a rare phrase": `"ballast ${word(100)}"`,
  "the beginning of a word": "harb*",
  "a frequent word without another": "cable -rope",
  "a word of user messages": `type:user ${word(100)}`,
  "a word since a date": `after:2026-11-01 ${word(200)}`,
};

/** Fields of sessions: each text's session is looked at. */
const WITHIN: Readonly<Record<string, string>> = {
  "a word in a folder": `project:repo-7 ${word(100)}`,
  "a word of an agent": `agent:cline ${word(200)}`,
  "a rare word of a model": `model:codex-model-2 ${word(2000)}`,
  "a frequent word in a folder": "project:repo-1 ballast",
};

/** In the list's own field: of a million sessions 80,000 have the first word, and 28,000 are of that agent. */
const LISTED = [
  word(100),
  word(1000),
  word(10_000),
  `"ballast ${word(100)}"`,
  `project:repo-7 ${word(100)}`,
  "agent:cline",
];

const searches = (kind: "search" | "within", queries: Readonly<Record<string, string>>): Ask[] =>
  Object.entries(queries).flatMap(([name, q]) =>
    ["rank", "newest"].map((sort): Ask => ({
      kind,
      name: `${name}, ${sort}`,
      path: `/api/search?sort=${sort}&q=${encodeURIComponent(q)}`,
    })),
  );

export const ASKS: readonly Ask[] = [
  ...Object.entries(FILTERS).flatMap(([filter, query]) =>
    SORTS.flatMap((sort) =>
      (["desc", "asc"] as const).map((dir): Ask => ({
        kind: "list",
        name: `${filter}, by ${sort} ${dir}`,
        path: `/api/sessions?sort=${sort}&dir=${dir}&pin=running&${query}`,
      })),
    ),
  ),
  ...Object.entries(FILTERS).map(([filter, query]): Ask => ({
    kind: "first",
    name: filter,
    path: `/api/sessions?pin=running&sums=1&${query}`,
  })),
  { kind: "first", name: "grouped by project", path: "/api/sessions?pin=running&sums=1&group=project" },
  ...LISTED.map((q): Ask => ({
    kind: "words",
    name: q,
    path: `/api/sessions?pin=running&sums=1&q=${encodeURIComponent(q)}`,
  })),
  ...["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata"].flatMap((zone) =>
    [
      "by=model",
      "by=model&facets=1",
      "by=model&since=2026-11-01",
      "by=agent",
      "period=weekly&by=model",
      "period=monthly",
    ].map((query): Ask => ({ kind: "usage", name: `${query}, ${zone}`, path: `/api/usage?timezone=${zone}&${query}` })),
  ),
  ...["UTC", "Europe/Berlin"].flatMap((zone) =>
    ["project", "person", "sender", "tool"].flatMap((by) =>
      ["daily", "monthly"].map((period): Ask => ({
        kind: "groups",
        name: `${period} by ${by}, ${zone}`,
        // As the page asks it: rows of all of 5,000 folders by day are 22 MB.
        path: `/api/usage?timezone=${zone}&by=${by}&period=${period}&since=2026-11-01&top=20`,
      })),
    ),
  ),
  ...searches("search", WORDS),
  ...searches("within", WITHIN),
];
