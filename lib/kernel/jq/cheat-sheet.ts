// Thirty jq programs for what people do with tool outputs, each with a small input that it works on as it stands.
// lib/jobs/jq-words.test.ts runs them all.

export type CheatOptions = {
  readonly raw?: boolean;
  readonly slurp?: boolean;
  readonly nullInput?: boolean;
  readonly compact?: boolean;
  readonly args?: Readonly<Record<string, string>>;
};

export type CheatEntry = {
  readonly group: CheatGroup;
  readonly title: string;
  readonly about: string;
  readonly program: string;
  readonly options?: CheatOptions;
  readonly input: string;
};

export const CHEAT_GROUPS = [
  "Picking",
  "Filtering",
  "Reshaping",
  "Grouping",
  "Text",
  "Dates",
  "Tables",
  "Paths",
  "Artifacts",
] as const;
export type CheatGroup = (typeof CHEAT_GROUPS)[number];

const BOOKINGS = `{
  "harbour": "Breakwater",
  "bookings": [
    {"ship": "MV Tern", "berth": "north quay", "draught": 3, "paid": false, "needs": ["fuel", "water"]},
    {"ship": "MV Skua", "berth": "dry dock", "draught": 4.5, "paid": true, "needs": []},
    {"ship": "MV Knot", "berth": "north quay", "draught": 3.4, "paid": true, "needs": ["water"]}
  ],
  "next": null
}`;

const SOUNDINGS = `[
  {"at": "2026-01-15T09:00:00Z", "fathoms": 3.5, "ground": "sand", "by": "mate"},
  {"at": "2026-01-15T09:10:00Z", "fathoms": 7, "ground": "rock"},
  {"at": "2026-01-15T09:20:00Z", "fathoms": 1.5, "ground": "mud", "by": "boatswain"},
  {"at": "2026-01-15T09:30:00Z", "fathoms": 8, "ground": "sand", "by": "mate"}
]`;

const TIDES = `{"port": "Rye", "tide": "high", "metres": 6.2}
{"port": "Rye", "tide": "low", "metres": 0.8}
{"port": "Hull", "tide": "high", "metres": 7.1}
{"port": "Hull", "tide": "low", "metres": 1.4}
{"port": "Rye", "tide": "high", "metres": 6.4}`;

const STEPS = `[
  {"day": "2026-01-12", "file": "harbour/5d1f.jsonl", "step": "parse", "ms": 164},
  {"day": "2026-01-12", "file": "harbour/5d1f.jsonl", "step": "flush", "ms": 82},
  {"day": "2026-01-13", "file": "quay/90ab.jsonl", "step": "parse", "ms": 170},
  {"day": "2026-01-13", "file": "quay/90ab.jsonl", "step": "flush", "ms": 6519}
]`;

const entry = (
  group: CheatGroup,
  title: string,
  about: string,
  program: string,
  input: string,
  options?: CheatOptions,
): CheatEntry => ({ group, title, about, program, input, ...(options !== undefined && { options }) });

export const CHEAT_SHEET: readonly CheatEntry[] = [
  entry("Picking", "One field", "A dot and the name of a key. Keys with spaces go in quotes.", ".harbour", BOOKINGS, {
    raw: true,
  }),
  entry("Picking", "A field of each element", "Brackets go through an array.", ".bookings[].ship", BOOKINGS),
  entry(
    "Picking",
    "A field that may be missing",
    "Two slashes give something in place of null and false.",
    '.[] | .by // "nobody"',
    SOUNDINGS,
  ),
  entry(
    "Filtering",
    "Elements that meet a condition",
    "select lets them pass one by one.",
    ".[] | select(.fathoms < 5)",
    SOUNDINGS,
    { compact: true },
  ),
  entry(
    "Filtering",
    "How many meet two conditions",
    "map keeps the array, so that length counts.",
    'map(select(.ground == "sand" and .fathoms > 3)) | length',
    SOUNDINGS,
  ),
  entry(
    "Filtering",
    "Elements whose text matches",
    "A regular expression; i takes any case.",
    '.bookings[] | select(.ship | test("k"; "i")) | .ship',
    BOOKINGS,
  ),
  entry(
    "Filtering",
    "Elements with a word in their list",
    "index finds a value in an array.",
    '.bookings[] | select(.needs | index("water")) | .ship',
    BOOKINGS,
  ),
  entry(
    "Reshaping",
    "Fewer fields, other names",
    "Braces make an object; a name alone keeps its value.",
    ".bookings | map({ship, deep: .draught})",
    BOOKINGS,
    { compact: true },
  ),
  entry(
    "Reshaping",
    "Change a value in place",
    "|= gives the document back with that place changed.",
    '.bookings[].paid |= (if . then "paid" else "owing" end) | [.bookings[].paid]',
    BOOKINGS,
    { compact: true },
  ),
  entry(
    "Reshaping",
    "Rename every key",
    "with_entries sees each pair as key and value.",
    "with_entries(.key |= ascii_upcase)",
    '{"port": "Rye", "tide": "high"}',
    { compact: true },
  ),
  entry(
    "Reshaping",
    "A list as a lookup",
    "Objects with a computed key, added up to one.",
    ".bookings | map({(.ship): .berth}) | add",
    BOOKINGS,
  ),
  entry(
    "Reshaping",
    "One row for each entry of an inner list",
    "Brackets inside the braces repeat the object.",
    "[.bookings[] | {ship, needs: .needs[]}]",
    BOOKINGS,
    { compact: true },
  ),
  entry(
    "Grouping",
    "Count by a key",
    "group_by sorts and groups; length counts each group.",
    "group_by(.ground) | map({ground: .[0].ground, count: length})",
    SOUNDINGS,
    { compact: true },
  ),
  entry("Grouping", "Average", "add sums up an array.", "map(.fathoms) | add / length", SOUNDINGS),
  entry(
    "Grouping",
    "Greatest of each group, from JSON lines",
    "-s reads all lines into one array first.",
    "group_by(.port) | map({port: .[0].port, highest: (map(.metres) | max)})",
    TIDES,
    { slurp: true, compact: true },
  ),
  entry(
    "Grouping",
    "Count JSON lines without holding them",
    "-n with inputs takes one line at a time, whatever the size.",
    "reduce inputs as $one ({}; .[$one.port] += 1)",
    TIDES,
    { nullInput: true, compact: true },
  ),
  entry("Grouping", "Each value once", "unique sorts and drops duplicates.", "map(.ground) | unique", SOUNDINGS, {
    compact: true,
  }),
  entry(
    "Text",
    "A sentence for each element",
    "\\( ) puts a value into a text; -r writes it without quotes.",
    '.bookings[] | "\\(.ship) lies at the \\(.berth)"',
    BOOKINGS,
    { raw: true },
  ),
  entry(
    "Text",
    "Fields out of a log line",
    "capture makes an object of the named groups.",
    'capture("^(?<at>\\\\S+) (?<level>[A-Z]+) +(?<says>.*)$")',
    '"2026-01-13T02:00:00Z WARN  settings.json changed"',
    { compact: true },
  ),
  entry(
    "Text",
    "Names without folder and ending",
    "sub replaces a match, rtrimstr takes an ending away.",
    'map(.file | sub("^[^/]*/"; "") | rtrimstr(".jsonl")) | unique',
    STEPS,
    { compact: true },
  ),
  entry(
    "Dates",
    "The hour of a time",
    "fromdate gives seconds, strftime writes them.",
    '.[].at | fromdate | strftime("%H:%M")',
    SOUNDINGS,
    { raw: true },
  ),
  entry(
    "Dates",
    "Minutes from the first to the last",
    "Places below 0 count from the end.",
    "((.[-1].at | fromdate) - (.[0].at | fromdate)) / 60",
    SOUNDINGS,
  ),
  entry(
    "Tables",
    "CSV with a header",
    "The keys of the first element name the columns.",
    "(.[0] | keys_unsorted) as $columns | $columns, (.[] | [.[$columns[]]]) | @csv",
    STEPS,
    { raw: true },
  ),
  entry(
    "Tables",
    "Columns with tabs between them",
    "An array a row, for a spreadsheet or cut.",
    ".bookings[] | [.ship, .berth, .draught] | @tsv",
    BOOKINGS,
    { raw: true },
  ),
  entry(
    "Tables",
    "Columns and rows to objects",
    "Each row is paired with the names of the columns.",
    ".columns as $names | .rows | map([$names, .] | transpose | map({(.[0]): .[1]}) | add)",
    '{"columns": ["port", "metres"], "rows": [["Rye", 6.2], ["Hull", 7.1]]}',
    { compact: true },
  ),
  entry(
    "Paths",
    "Find where a value is",
    "paths gives arrays of keys and places.",
    '[paths(. == "north quay") | map(tostring) | join(".")]',
    BOOKINGS,
    { compact: true },
  ),
  entry(
    "Paths",
    "Objects with a key, however deep",
    "Two dots go through everything.",
    '[.. | objects | select(has("draught")) | .ship]',
    BOOKINGS,
    { compact: true },
  ),
  entry(
    "Artifacts",
    "What an unknown output is made of",
    "The type of each value tells where to look.",
    "map_values(type)",
    BOOKINGS,
    { compact: true },
  ),
  entry(
    "Artifacts",
    "JSON in a text of a tool result",
    "Tools often answer with JSON as text: fromjson reads it.",
    ".content[0].text | fromjson | .ships | length",
    '{"content": [{"type": "text", "text": "{\\"ships\\": [\\"MV Tern\\", \\"MV Skua\\"]}"}]}',
  ),
  entry(
    "Artifacts",
    "The slowest rows of one day",
    "--arg gives the day; the minus sorts from the greatest.",
    "map(select(.day == $day)) | sort_by(-.ms)[:2] | map({file, step, ms})",
    STEPS,
    { compact: true, args: { day: "2026-01-13" } },
  ),
];
