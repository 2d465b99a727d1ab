// What an agent is reminded of: the latest artifacts of its session, by their summaries, inside a fixed budget. Summaries
// come from tool output: they are data, put on one line each, and belong into a data block of a user message, never into
// the system prompt.

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
};

export type Recall = {
  readonly text: string;
  readonly items: readonly RecallEntry[];
  /** Entries of the session that the budget left out. */
  readonly omitted: number;
};

const STRATEGY = "Read an artifact back by its id before you run the tool again.";

/** The section, newest first; null when recall is off, no session is named, or nothing is there. */
export function recallSection(
  entries: readonly RecallEntry[],
  sessionId: string | null,
  config: Partial<RecallConfig> = {},
): Recall | null {
  const { enabled, maxItems, maxChars, narrativeMaxChars } = { ...RECALL_DEFAULTS, ...config };
  if (!enabled || sessionId === null || sessionId === "") return null;
  // The index keeps the order of what was stored in the same millisecond.
  const own = entries
    .map((entry, i) => ({ entry, i }))
    .filter(({ entry }) => entry.sessionId === sessionId)
    .toSorted((a, b) => b.entry.createdAt - a.entry.createdAt || b.i - a.i)
    .map(({ entry }) => entry);
  if (own.length === 0 || maxItems < 1 || maxChars < 1) return null;
  const chosen = own.slice(0, maxItems);
  const head = ["## Artifact Recall", "", "### Recall Strategy", STRATEGY, ""];
  const narrative = cut(
    `I recently used tools that produced: ${chosen.map((entry) => oneLine(entry.summary)).join("; ")}.`,
    narrativeMaxChars,
  );
  const begin = [...head, "### Narrative", narrative, "", "### Recent Artifacts"].join("\n");
  const items: RecallEntry[] = [];
  let text = begin;
  for (const entry of chosen) {
    const line = `\n- ${oneLine(entry.summary)} (artifact: ${entry.artifactId}, ${entry.pointer})`;
    // Room is kept for the line that says that some are left out.
    if (text.length + line.length + MORE.length > maxChars) break;
    text += line;
    items.push(entry);
  }
  const omitted = own.length - items.length;
  if (omitted > 0) text += MORE;
  // A hard end: a mark here could stand behind a narrative that is at its own limit.
  return { text: text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, ""), items, omitted };
}

const MORE = "\n- …";

/** One line without anything that moves a cursor, turns text around or ends a block. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, 300)
    .toWellFormed();

/** The first characters, never half of a pair. */
function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const kept = text.slice(0, Math.max(0, chars - 1)).replace(/[\uD800-\uDBFF]$/, "");
  return chars < 1 ? "" : `${kept}…`;
}
