// What an agent is reminded of: artifacts of its session, by their summaries, inside a fixed budget. Summaries come from
// tool output: they are data. Each stands on one line of its own, its marks escaped; lib/kernel/memory/recall fences the
// section and puts it into a user message. It never belongs into a system prompt.

export type RecallConfig = {
  readonly enabled: boolean;
  readonly maxItems: number;
  /** Characters (UTF-16) of the section, at most. */
  readonly maxChars: number;
  readonly narrativeMaxChars: number;
};

export const RECALL_DEFAULTS: RecallConfig = { enabled: true, maxItems: 8, maxChars: 2000, narrativeMaxChars: 600 };

export type RecallEntry = {
  readonly artifactId: string;
  readonly pointer: string;
  readonly sessionId: string;
  readonly summary: string;
  readonly createdAt: number;
  /** What the narrative calls it; its summary where it has no name. */
  readonly name?: string | null;
  readonly toolName?: string | null;
  readonly sizeBytes?: number;
};

export type Recall<E extends RecallEntry = RecallEntry> = {
  readonly text: string;
  readonly items: readonly E[];
  /** Entries that the budget left out. */
  readonly omitted: number;
};

const STRATEGY = "Read an artifact back by its id before you run the tool again.";

/** The section, newest first; null when recall is off, no session is named, or nothing is there. */
export function recallSection<E extends RecallEntry>(
  entries: readonly E[],
  sessionId: string | null,
  config: Partial<RecallConfig> = {},
): Recall<E> | null {
  if (sessionId === null || sessionId === "") return null;
  // The index keeps the order of what was stored in the same millisecond.
  const own = entries
    .map((entry, i) => ({ entry, i }))
    .filter(({ entry }) => entry.sessionId === sessionId)
    .toSorted((a, b) => b.entry.createdAt - a.entry.createdAt || b.i - a.i)
    .map(({ entry }) => entry);
  return writeRecall(own, config);
}

/** The section with these entries, best first, of so many candidates; null when recall is off or nothing is there. */
export function writeRecall<E extends RecallEntry>(
  entries: readonly E[],
  config: Partial<RecallConfig> = {},
  candidates: number = entries.length,
): Recall<E> | null {
  const { enabled, maxItems, maxChars, narrativeMaxChars } = { ...RECALL_DEFAULTS, ...config };
  if (!enabled || entries.length === 0 || maxItems < 1 || maxChars < 1) return null;
  const chosen = entries.slice(0, maxItems);
  const head = ["## Artifact Recall", "", "### Recall Strategy", STRATEGY, ""];
  const narrative = cut(
    `I recently used tools that produced: ${chosen.map(({ name, summary }) => plainLine(name ?? summary)).join("; ")}.`,
    narrativeMaxChars,
  );
  const begin = [...head, "### Narrative", narrative, "", "### Recent Artifacts"].join("\n");
  const items: E[] = [];
  let text = begin;
  for (const entry of chosen) {
    const line = `\n${itemLine(entry)}`;
    // Room is kept for the line that says that some are left out.
    if (text.length + line.length + MORE.length > maxChars) break;
    text += line;
    items.push(entry);
  }
  const omitted = candidates - items.length;
  if (omitted > 0) text += MORE;
  // A hard end: a mark here could stand behind a narrative that is at its own limit.
  return { text: text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, ""), items, omitted };
}

const MORE = "\n- …";

function itemLine({ summary, artifactId, toolName, sizeBytes }: RecallEntry): string {
  const facts = [
    `artifact: ${plainLine(artifactId)}`,
    ...(toolName == null ? [] : [`tool: ${plainLine(toolName)}`]),
    ...(sizeBytes === undefined ? [] : [sizeWords(sizeBytes)]),
  ];
  return `- ${plainLine(summary)} (${facts.join(", ")})`;
}

const sizeWords = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} KB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Characters of a summary in its line. */
const LINE_CHARS = 300;
const ESCAPES: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "`": "&#96;" };

/** One line without anything that moves a cursor, turns text around, or ends a block or a fence. */
export const plainLine = (text: string): string =>
  text
    .slice(0, 4 * LINE_CHARS)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, LINE_CHARS)
    .toWellFormed()
    .replace(/[<>`]/g, (mark) => ESCAPES[mark]!);

/** The first characters, never half of a pair. */
function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const kept = text.slice(0, Math.max(0, chars - 1)).replace(/[\uD800-\uDBFF]$/, "");
  return chars < 1 ? "" : `${kept}…`;
}
