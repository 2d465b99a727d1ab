// What the client writes in the person's place: no turn begins at it, but at the words that a command of a person's stands for.
import { asObject, asText, type Json } from "../json.ts";
import type { ClaudeState } from "./claude-state.ts";

/** Texts that the client writes for the user: no turn starts at them. */
const INJECTED: readonly (readonly [string, string])[] = [
  ["<command-", "command"],
  ["<local-command-", "command"],
  ["<bash-", "command"],
  ["<task-notification", "notification"],
  ["<system-reminder", "reminder"],
  ["[Request interrupted", "interrupted"],
];

/** What a team's member sends: only what the lead asks of a member is a prompt. */
const FROM_MEMBER = /^(?:Another Claude session sent a message:\s*)?<teammate-message teammate_id="(?!team-lead")/;

export function injectedKind(value: Json, text: string): string | undefined {
  if (value["isCompactSummary"] === true) return "summary";
  if (value["isMeta"] === true) return "meta";
  if (FROM_MEMBER.test(text)) return "teammate";
  return INJECTED.find(([start]) => text.startsWith(start))?.[1];
}

/** What waited while the agent was busy: a prompt, or what the client says of a task or brings from another session. */
export function queuedKind(value: Json, queued: Json, text: string): string | undefined {
  const { isMeta, commandMode, origin } = queued;
  if (commandMode === "task-notification" || asObject(origin)["kind"] === "task-notification") return "notification";
  return injectedKind(isMeta === true ? { ...value, isMeta } : value, text);
}

/** Commands that the client carries out alone. */
const LOCAL: ReadonlySet<string> = new Set(["/clear", "/exit", "/compact"]);

/** What the client writes before the commands that it carries out. */
const CAVEAT = /^(?:<local-command-|Caveat: )/;

/**
 * The command as it was typed, where this record is what it stands for: the model is sent that, and a turn begins. Only the record
 * behind a command tells: what the client carries out itself has no such one.
 */
export function expandedCommand(value: Json, lane: string, words: string, state: ClaudeState): string | null {
  const [id, typed] = [`command ${lane}`, `command words ${lane}`];
  const isBehind = value["isMeta"] === true && state.lastValues[id] === (asText(value["parentUuid"]) ?? "");
  const isExpansion = isBehind && !CAVEAT.test(words);
  const command = isExpansion ? (state.lastValues[typed] ?? "") : null;
  delete state.lastValues[id];
  delete state.lastValues[typed];
  if (command !== null) return command;
  const name = partOf(words, "name");
  const uuid = asText(value["uuid"]);
  if (value["isMeta"] === true || uuid === null || name === "" || LOCAL.has(name)) return null;
  state.lastValues[id] = uuid;
  state.lastValues[typed] = `${name} ${partOf(words, "args")}`.trim().slice(0, 300);
  return null;
}

const PARTS = {
  name: /<command-name>([^<]*)<\/command-name>/,
  args: /<command-args>([^<]*)<\/command-args>/,
} as const;

const partOf = (words: string, part: keyof typeof PARTS): string =>
  words.startsWith("<command-") ? (PARTS[part].exec(words)?.[1]?.trim() ?? "") : "";
