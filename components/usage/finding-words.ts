// Findings in words, and where they lead.
import { formatCount } from "../ui/format.ts";
import type { FindingRow, FindingState } from "#lib/wire/findings-schema.ts";

export const findingHref = (id: string): string => `/findings?${new URLSearchParams({ finding: id })}`;

export const waitingWords = (sessions: number): string =>
  `${formatCount(sessions, "session is", "sessions are")} not analysed yet.`;

export const STATE_WORDS: Readonly<Record<FindingState, string>> = {
  open: "open",
  muted: "muted",
  done: "done",
  back: "came back",
};

export const KIND_WORDS: Readonly<Record<FindingRow["kind"], string>> = {
  tool: "Tool",
  "mcp-server": "MCP server",
  prefix: "Prefix",
  cache: "Cache",
  compaction: "Compaction",
  reasoning: "Reasoning",
};
