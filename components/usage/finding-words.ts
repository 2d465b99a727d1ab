// Findings in words: names that fit a line, and where they lead.
import { formatCount } from "../ui/format.ts";
import type { FindingRow, FindingState } from "#lib/wire/findings-schema.ts";

export const findingHref = (id: string): string => `/findings?${new URLSearchParams({ finding: id })}`;

/** What a detector found, before what it is about. */
const DID: Readonly<Record<string, string>> = {
  "oversized-output": "large",
  "stale-result": "old results",
  "re-read": "read again",
  "fan-out": "many at once",
  "retry-loop": "failing again and again",
  "unused-schemas": "never called",
  "memory-file": "long memory file",
};

/** A path by its last two parts: `Read src/server.ts, read again`. */
export function subjectName({
  subject,
  detector,
  kind,
}: Readonly<Record<"subject" | "detector" | "kind", string>>): string {
  const short =
    kind === "tool" || detector === "memory-file"
      ? subject.replace(/(?:[\w.@~-]*[\\/])+(?=[^\\/]+[\\/][^\\/\s]+$)/u, "")
      : subject;
  const did = DID[detector];
  return did === undefined ? short : `${short}: ${did}`;
}

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
