// docs/formats.md is written from what the formats and their fixtures show. `npm run unit -- lib/formats/formats-page.test.ts -u` writes it
// anew.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft, type Format, type SourceFile } from "#lib/kernel/draft.ts";
import { FORMATS } from "./index.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
/** What stands beside a fixture, in a folder for each format: in `fixtures` it would be a session itself. */
const BESIDE = join(import.meta.dirname, "fixtures-beside");
const PAGES = join(import.meta.dirname, "../../docs/formats");

/** Formats whose files are Plimsoll's own: no agent had them. */
const OWN: ReadonlySet<string> = new Set(["captured", "otlp"]);

/** Formats whose files have the same name in every session's folder. */
const NAMES: Readonly<Record<string, string>> = {
  gptme: "conversation.jsonl",
  grok: "chat_history.jsonl",
  vibe: "messages.jsonl",
};

type Read = { readonly drafts: readonly Draft[]; readonly isWhole: boolean; readonly isRows: boolean };

function readFixture(format: Format, name: string): Read {
  const bytes = readFileSync(join(FIXTURES, name));
  const path = join(BESIDE, format.id, NAMES[format.id] ?? name);
  const file: SourceFile = { path, head: bytes.subarray(0, 65_536), sidecars: besideOf(format, path) };
  const state = format.start(file);
  const isWhole = isDocument(format, file);
  const lines = isWhole
    ? [bytes]
    : bytes
        .toString("utf8")
        .trimEnd()
        .split("\n")
        .map((line) => Buffer.from(line));
  const drafts = lines.flatMap((line, i) =>
    format.parse({ bytes: line, byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
  );
  return { drafts, isWhole, isRows: /^\{"table":"/.test(lines[0]!.toString("utf8")) };
}

function besideOf(format: Format, path: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const beside of format.sidecars?.(path) ?? []) {
    const file = [beside, join(dirname(beside), `synthetic-${basename(beside)}`)].find((one) => existsSync(one));
    if (file !== undefined) found.set(beside, readFileSync(file, "utf8"));
  }
  return found;
}

/** How much of the calls of a fixture have their tokens: of the best one. */
function usageOf(reads: readonly Read[]): string {
  const shares = reads.map(({ drafts }) => {
    const calls = new Map<string, boolean>();
    for (const draft of drafts)
      if (draft.kind === "call")
        calls.set(
          `${draft.lane} ${draft.key}`,
          draft.usage !== null || calls.get(`${draft.lane} ${draft.key}`) === true,
        );
    const known = [...calls.values()].filter(Boolean).length;
    return calls.size === 0 ? 0 : known / calls.size;
  });
  const best = Math.max(...shares);
  if (best === 1) return "each call";
  if (best > 0) return "some calls";
  return reads.some(({ drafts }) => drafts.some(({ kind }) => kind === "reported")) ? "sums" : "–";
}

const isAny = (reads: readonly Read[], what: (draft: Draft) => boolean): boolean =>
  reads.some(({ drafts }) => drafts.some(what));
const yes = (is: boolean): string => (is ? "yes" : "–");
const usesTokens =
  (...fields: ("cacheRead" | "cacheWrite" | "reasoning")[]) =>
  (draft: Draft): boolean =>
    draft.kind === "call" && fields.some((field) => (draft.usage?.[field] ?? 0) > 0);

function reasoningOf(reads: readonly Read[]): string {
  const isText = (draft: Draft): boolean =>
    draft.kind === "event" && draft.body.type === "reasoning" && draft.body.text !== "";
  const words = [isAny(reads, isText) && "text", isAny(reads, usesTokens("reasoning")) && "tokens"].filter(Boolean);
  return words.length === 0 ? "–" : words.join(", ");
}

/** Sessions that only share a file, as the rows of a data set do, are nobody's sub-agents. */
function hasSubAgents({ drafts }: Read): boolean {
  const beside = new Set(
    drafts.flatMap((draft) => (draft.kind === "session" && draft.patch.relation === "root" ? [draft.lane] : [])),
  );
  return drafts.some(
    (draft) =>
      draft.kind === "link" ||
      (draft.kind === "session" && draft.patch.relation === "subagent") ||
      (draft.kind === "event" &&
        ((draft.lane !== "" && !beside.has(draft.lane)) ||
          (draft.body.type === "tool_result" && draft.body.detail?.agentId !== undefined))),
  );
}

function fullOutputsOf(format: Format, reads: readonly Read[]): string {
  const isInside = isAny(reads, (draft) => draft.kind === "event" && draft.fullText !== undefined);
  const words = [isInside && "in the record", format.fullOutputPaths !== undefined && "agent's files"].filter(Boolean);
  return words.length === 0 ? "as sent" : words.join(", ");
}

function liveOf(format: Format, reads: readonly Read[]): string {
  const kinds = new Set(reads.map(({ isWhole, isRows }) => (isWhole ? "documents" : isRows ? "rows" : "lines")));
  if (format.database !== undefined) kinds.add("rows");
  return [...kinds].toSorted().join(", ");
}

/** A database is never written; what is read of it is exported. */
function restoreOf(format: Format, reads: readonly Read[]): string {
  if (OWN.has(format.id)) return "–";
  const isFile = reads.some(({ isRows }) => !isRows);
  return isFile ? (format.database === undefined ? "yes" : "files") : "–";
}

const COLUMNS = [
  "usage",
  "cache",
  "reasoning",
  "sub-agents",
  "compaction",
  "full outputs",
  "live",
  "resume",
  "restore",
];

function rowOf(format: Format): string {
  const names = readdirSync(FIXTURES).filter((name) => name.startsWith(`${format.id}-synthetic-`));
  const reads = names.map((name) => readFixture(format, name));
  const page = join(PAGES, `${format.id}.md`);
  const label = existsSync(page) ? `[${format.label}](formats/${format.id}.md)` : format.label;
  const cells = [
    usageOf(reads),
    yes(isAny(reads, usesTokens("cacheRead", "cacheWrite"))),
    reasoningOf(reads),
    yes(reads.some(hasSubAgents)),
    yes(isAny(reads, ({ kind, ...draft }) => kind === "event" && "body" in draft && draft.body.type === "compaction")),
    fullOutputsOf(format, reads),
    liveOf(format, reads),
    yes(format.continuation !== undefined),
    restoreOf(format, reads),
  ];
  return `| ${[label, ...cells].join(" | ")} |`;
}

function formatsPage(): string {
  const rows = FORMATS.toSorted((a, b) => a.label.localeCompare(b.label, "en")).map(rowOf);
  return `# Formats

What Plimsoll reads of each agent's sessions. This table is made by a test from the fixtures of each format: a cell says what they show.
A name leads to the page of its agent: what is read, what is not known, and how it was tried.

| agent | ${COLUMNS.join(" | ")} |
|---|${COLUMNS.map(() => "---|").join("")}
${rows.join("\n")}

- **usage**: *each call* has its tokens; *some calls*, and the rest is in a sum; *sums* of the session alone.
- **reasoning**: its *text* is in the file; its *tokens* are counted apart.
- **full outputs**: what the model saw shorter is *in the record*, or is taken from the *agent's files*; else outputs stand *as sent*.
- **live**: new *lines* and *rows* are added; *documents* are written anew and compared record by record.
- **resume**: \`plimsoll carry-on\` writes a session that the agent goes on with. **restore**: \`plimsoll restore\` gives a deleted file back;
  a database is never written.

A file is known by its content. Its name and folder only decide whether a search takes it. Something that is not known becomes an event of type
\`unknown\`, with its bytes: no session is dropped for a field. Beside damaged lines, and behind them, each whole record is read.
A file that begins in the middle of a run (rotated, split, or cut) is known by its records, where they are one agent's alone. What it counts is its own part.
`;
}

test("docs/formats.md says what the fixtures show", async () => {
  await expect(formatsPage()).toMatchFileSnapshot("../../docs/formats.md");
});
