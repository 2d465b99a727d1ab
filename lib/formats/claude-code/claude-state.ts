// What the parser of Claude Code transcripts remembers between records. It stays small: nothing
// in it grows with the session.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { asObject, asText, type Json } from "../json.ts";

export type Chain = { lane: string; tips: string[] };

export type ClaudeState = {
  /** The file's name, when it is a uuid. */
  fileId: string | null;
  /** The sub-agent whose own file this is. */
  agentId: string | null;
  /** The agent's id was read from the file name: lines may correct it. */
  agentFromName: boolean;
  sidecar: { agentType: string | null; description: string | null; toolUseId: string | null } | null;
  /** How many lines name each session id; the eight most named. */
  sessionIds: Record<string, number>;
  /** Sub-agents inside this file that lines name by their chain of parents only. */
  chains: Chain[];
  /** Record ids seen last: two processes that append at once write a record twice. */
  recent: string[];
  /** Runs of records that are written again: replays.ts. */
  replays: Replays;
  /** Of answers without an id of their request the last whose id is shared, and the record that an id was first seen with: answer-keys.ts. */
  relayed: RelayedAnswer[];
  firstOf: FirstRecord[];
  /** Ids that more than one answer has. */
  shared: string[];
  /** Last values of each lane, so that only changes become drafts. */
  lastValues: Record<string, string>;
  /** The conversation's prompts: rewinds.ts. */
  prompts: PromptPath;
  /** Results that the next request has shorter, with the words in their place: cleared-results.ts. */
  cleared: [toolCallId: string, text: string][];
};

/** Runs of records that a file has again. */
export type Replays = {
  /** Records that a run may begin with, in short: the first of the file, and the last of the others. */
  anchors: string[];
  /** Some of them are forgotten. */
  isCut: boolean;
  /** The record before was a compaction. */
  isAfterCompaction: boolean;
  /** The latest time of a record. */
  newest: number;
  /** Up to this time records are copies; null outside of a run. */
  until: number | null;
};

/** An answer whose id others have too, as its records were read so far. */
export type RelayedAnswer = {
  readonly id: string;
  readonly lane: string;
  readonly key: string;
  prompt: number;
  /** The last records of it, in short. */
  records: string[];
  /** A person wrote behind it. */
  isOver: boolean;
};

/** The record that an id was first seen with. */
export type FirstRecord = {
  readonly id: string;
  readonly record: string;
  readonly lane: string;
  prompt: number;
  /** A person wrote behind it. */
  isOver: boolean;
};

export type PromptPath = {
  /** Of each prompt of the branch that goes on: the record before it and itself, in short. The first, and the last of them. */
  path: string[];
  /** Records name their parents: one without any begins the conversation anew. */
  isChained: boolean;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

export const sidecarPath = (path: string): string => path.replace(/\.jsonl$/, ".meta.json");

export function startState(file: SourceFile): ClaudeState {
  const stem = baseName(file.path).replace(/\.jsonl$/, "");
  const first = firstConversation(file.head);
  const own = first !== null && first["isSidechain"] === true;
  const named = /^agent-(.+)$/.exec(stem)?.[1] ?? null;
  return {
    fileId: UUID.test(stem) ? stem.toLowerCase() : null,
    agentId: own ? (asText(first["agentId"]) ?? named ?? (asText(first["uuid"]) ?? "unnamed").slice(0, 8)) : null,
    agentFromName: own && asText(first["agentId"]) === null && named !== null,
    sidecar: own ? (readSidecar(file.sidecars.get(sidecarPath(file.path))) ?? sidecarBefore(file.before)) : null,
    sessionIds: {},
    chains: [],
    recent: [],
    replays: { anchors: [], isCut: false, isAfterCompaction: false, newest: 0, until: null },
    relayed: [],
    firstOf: [],
    shared: [],
    lastValues: {},
    prompts: { path: [], isChained: false },
    cleared: [],
  };
}

/** What an earlier release of this version stored, whose `lastValues` had another name. */
export function resumeState({ told, ...stored }: ClaudeState & { told?: ClaudeState["lastValues"] }): ClaudeState {
  return { ...stored, lastValues: stored.lastValues ?? told ?? {} };
}

/** The first record of a person, a model or a tool in these bytes; long first lines are looked at as text. */
function firstConversation(head: Uint8Array): Json | null {
  const text = new TextDecoder().decode(head);
  for (const line of text.split("\n")) {
    try {
      const record = asObject(JSON.parse(line));
      if (record["type"] === "user" || record["type"] === "assistant") return record;
    } catch {
      const isSidechain = /"isSidechain":(true|false)/.exec(line)?.[1];
      const agentId = /"agentId":"([^"\\]{1,100})"/.exec(line)?.[1];
      const uuid = /"uuid":"([^"\\]{1,100})"/.exec(line)?.[1];
      if (isSidechain !== undefined) return { isSidechain: isSidechain === "true", agentId, uuid };
    }
  }
  return null;
}

function readSidecar(text: string | undefined): ClaudeState["sidecar"] {
  if (text === undefined) return null;
  try {
    const meta = asObject(JSON.parse(text));
    return {
      agentType: asText(meta["agentType"]),
      description: asText(meta["description"]),
      toolUseId: asText(meta["toolUseId"]),
    };
  } catch {
    return null;
  }
}

const sidecarBefore = (before: unknown): ClaudeState["sidecar"] =>
  (before as Partial<ClaudeState> | null | undefined)?.sidecar ?? null;

/** Counts a line for its session id; of more than eight the least named is forgotten. */
export function countSessionId(state: ClaudeState, id: string): void {
  const counts = state.sessionIds;
  counts[id] = (Object.hasOwn(counts, id) ? counts[id]! : 0) + 1;
  const ids = Object.keys(counts);
  if (ids.length <= 8) return;
  const least = ids.filter((other) => other !== id).toSorted((a, b) => counts[a]! - counts[b]! || (a < b ? -1 : 1))[0]!;
  delete counts[least];
}

/** The session id on most lines; ties go to the smaller. */
export function mainSessionId(state: ClaudeState): string | null {
  const ids = Object.entries(state.sessionIds).toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return ids[0]?.[0] ?? null;
}

/**
 * The lane of a record: "" for the file's own session. Lines of generation 1 name no agent: a chain begins at a
 * record without parent and goes on from the last eight records of that chain (parallel results branch off).
 */
export function laneOf(state: ClaudeState, record: Json): string {
  if (record["isSidechain"] !== true || state.agentId !== null) return "";
  const agent = asText(record["agentId"]);
  if (agent !== null && agent !== "") return agent;
  const id = asText(record["uuid"]) ?? "";
  const uuid = shortOf(id);
  const parentId = asText(record["parentUuid"]);
  const parent = parentId === null ? undefined : shortOf(parentId);
  const known = parent === undefined ? undefined : state.chains.find((chain) => chain.tips.includes(parent));
  if (known !== undefined) {
    known.tips = [...known.tips, uuid].slice(-8);
    return known.lane;
  }
  const chain = { lane: id.slice(-8) || "unnamed", tips: [uuid] };
  state.chains = [...state.chains, chain].slice(-12);
  return chain.lane;
}

/** True when the record was read a moment ago: its twin is shown as a duplicate and counted once. */
export function isRepeat(state: ClaudeState, uuid: string | null): boolean {
  if (uuid === null) return false;
  const short = shortOf(uuid);
  if (state.recent.includes(short)) return true;
  state.recent.push(short);
  if (state.recent.length > 24) state.recent.shift();
  return false;
}

/** 52 bits of an id in at most 11 characters: the state stays small, and ids that differ only at their end stay apart. */
export function shortOf(id: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let i = 0; i < id.length; i++) {
    low = Math.imul(low ^ id.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ id.charCodeAt(i), 0x85ebca6b) ^ (low >>> 15);
  }
  // In two halves of small integers: the digits of a number of 52 bits take V8 ten times as long.
  const number = (high >>> 12) * 2 ** 32 + (low >>> 0);
  const upper = Math.floor(number / HALF);
  const lower = (number - upper * HALF).toString(36);
  return upper === 0 ? lower : upper.toString(36) + lower.padStart(5, "0");
}

const HALF = 36 ** 5;
