// The fields of the query language, with what each takes. Completion, errors and the help of the page read this table.
import { EVENT_TYPES, type EventType } from "../event.ts";

export const SEARCH_FIELDS = [
  { name: "agent", about: "agent that wrote the session", example: "agent:codex" },
  { name: "project", about: "folder of the session", example: "project:webshop" },
  { name: "model", about: "model of the session", example: "model:opus" },
  { name: "branch", about: "git branch of the session", example: "branch:main" },
  { name: "commit", about: "commit that the session made", example: "commit:1a2b3c4" },
  { name: "pr", about: "pull request that the session made", example: "pr:12" },
  { name: "tool", about: "tool of a call or a result", example: "tool:Bash" },
  { name: "type", about: "type of event", example: "type:user" },
  { name: "file", about: "file that a tool call names", example: "file:src/server.ts" },
  { name: "is", about: "state", example: "is:error" },
  { name: "label", about: "label of a session or an event", example: "label:todo" },
  { name: "note", about: "word in a note", example: "note:ask" },
  { name: "tokens", about: "size of the event", example: "tokens:>5k" },
  { name: "cost", about: "cost of the session in dollars", example: "cost:>2" },
  { name: "after", about: "first day or time", example: "after:7d" },
  { name: "before", about: "first day or time left out", example: "before:2026-06-01" },
] as const;

export type SearchField = (typeof SEARCH_FIELDS)[number]["name"];

export const isSearchField = (name: string): name is SearchField => SEARCH_FIELDS.some((one) => one.name === name);

/** A filter as it stands in a query: quoted where its value has a space. */
export const filterText = (field: string, value: string): string =>
  /[\s"]/u.test(value) || value === "" ? `${field}:"${value.replaceAll('"', "")}"` : `${field}:${value}`;

/** What a place in the index is: a type of event, the content of an artifact, or a memory item. */
export const SEARCH_KINDS = [...EVENT_TYPES, "artifact", "memory"] as const;
export type SearchKind = EventType | "artifact" | "memory";

/** Shorter names of types that people try first. */
const KIND_ALIASES: Readonly<Record<string, readonly SearchKind[]>> = {
  message: ["user", "assistant"],
  prompt: ["user"],
  thinking: ["reasoning"],
  call: ["tool_call"],
  arguments: ["tool_call"],
  result: ["tool_result", "artifact"],
  output: ["tool_result", "artifact"],
  summary: ["compaction"],
};

export const KIND_WORDS: readonly string[] = [...SEARCH_KINDS, ...Object.keys(KIND_ALIASES)];

export function kindsNamed(word: string): readonly SearchKind[] | null {
  const name = word.toLowerCase().replaceAll("-", "_");
  const kind = SEARCH_KINDS.find((one) => one === name);
  if (kind !== undefined) return [kind];
  return Object.hasOwn(KIND_ALIASES, name) ? KIND_ALIASES[name]! : null;
}
