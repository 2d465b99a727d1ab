// What the parser of Kimi's logs remembers between records, what a log is known by, and what the file beside it says.
import type { SessionPatch, SourceFile } from "#lib/kernel/draft.ts";
import { areRecordsOf, hasNone } from "../first-records.ts";
import { cutFileName } from "../first-record-name.ts";
import { parseJson } from "../json-parts.ts";
import { asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";

export type KimiState = {
  readonly id: string;
  readonly about: SessionPatch;
  isTold: boolean;
  hasTitle: boolean;
  model: string | null;
  /** The request that is being answered, of the log's own agent ("") and of sub-agents in it. The last ones. */
  steps: [lane: string, step: Step][];
  /** The record that stood before each of the last prompts. */
  prompts: (string | null)[];
  /** So many prompts so far. */
  count: number;
  /** The last record of the conversation. */
  tail: string | null;
  /** What the person said and a compaction keeps. */
  said: string[];
  /** Who asked for the compaction that goes on. */
  trigger: string | null;
  /** The folder as the log itself names it. */
  cwd: string | null;
  /** The session of all its agents. */
  readonly session: string | null;
};

export type Step = { readonly key: string; isAsked: boolean; hasUsage: boolean };

const LANES = 16;
/** Prompts whose place is remembered. */
export const PROMPTS = 60;
/** Messages of the person that are remembered. */
export const SAID = 120;

/** Kimi Code's records are flat, each with its time. */
export const isCodeRecord = (value: unknown): value is Json =>
  isObject(value) && (isHead(value) || (typeof value["time"] === "number" && asText(value["type"]) !== null));

const isHead = (value: Json): boolean => value["type"] === "metadata" && asText(value["protocol_version"]) !== null;

/** Records of kimi-cli wrap an event with its payload. */
export const isCliRecord = (value: unknown): value is Json =>
  isObject(value) &&
  typeof value["timestamp"] === "number" &&
  isObject(value["message"]) &&
  asText(value["message"]["type"]) !== null &&
  "payload" in value["message"];

/** Other programs log requests and settings, too: these alone are no sign. */
const OWN = /^(?:context\.(?:append_|apply_compaction|clear|undo)|turn\.(?:prompt|steer|cancel|ended)|usage\.record)/;
const OWN_EVENTS = /^(?:Turn|Step)Begin$|^(?:ContentPart|ToolCall|ToolResult|StatusUpdate|SteerInput|SubagentEvent)$/;
const fits = (one: Json): boolean =>
  (isCodeRecord(one) && hasNone(one, ["payload", "uuid", "sessionId", "session_id", "role"])) || isCliRecord(one);
const isSign = (one: Json): boolean =>
  isHead(one) ||
  (isCliRecord(one) && OWN_EVENTS.test(asText(asObject(one["message"])["type"])!)) ||
  OWN.test(asText(one["type"]) ?? "");

export const isKimi = (head: Uint8Array): boolean => areRecordsOf(head, fits, isSign);

const AGENT = /^(.*[\\/]([\w-]{8,}))[\\/]agents[\\/]([\w-]+)[\\/]wire\.jsonl(?:\.zst)?$/;
const SESSION = /^(.*[\\/]([\w-]{12,}))[\\/]wire\.jsonl(?:\.zst)?$/;

/** What is known of the session, and of all its agents. */
export function besideKimi(path: string): readonly string[] {
  const folder = AGENT.exec(path)?.[1] ?? SESSION.exec(path)?.[1];
  return folder === undefined ? [] : [`${folder}${path.includes("\\") ? "\\" : "/"}state.json`];
}

export function startKimi(file: SourceFile): KimiState {
  const [, , session, agent] = AGENT.exec(file.path) ?? SESSION.exec(file.path) ?? [];
  const before = (file.before as Partial<KimiState> | undefined)?.about;
  const isSub = agent !== undefined && agent !== "main";
  const id = session === undefined ? cutFileName(file) : isSub ? `${session}.${agent}` : session;
  const about = aboutOf(file, session ?? null, isSub ? agent : null);
  return {
    ...{
      id,
      about: Object.keys(about).length > 0 ? about : (before ?? {}),
      isTold: false,
      hasTitle: false,
      model: null,
    },
    ...{ steps: [], prompts: [], count: 0, tail: null, said: [], trigger: null, cwd: null },
    session: session ?? null,
  };
}

/** The name of an agent's session; null where it is not known whose agents these are. */
export const agentName = (agent: string, { session }: KimiState): string | null =>
  session === null ? null : agent === "main" ? session : `${session}.${agent}`;

function aboutOf({ path, sidecars }: SourceFile, session: string | null, agent: string | null): SessionPatch {
  const [beside] = besideKimi(path);
  // It may be written at this moment.
  const state = asObject(parseJson((beside !== undefined && sidecars.get(beside)) || ""));
  const cwd = asText(state["cwd"]) || asText(state["workDir"]) || "";
  const title = (asText(state["custom_title"]) || asText(state["title"]))?.trim() ?? "";
  const isOwn = state["isCustomTitle"] === true;
  const folder = cwd === "" ? {} : { cwd };
  if (agent === null) {
    const startedAt = asTime(state["createdAt"]);
    return {
      ...folder,
      ...(startedAt !== null && { startedAt }),
      ...(title !== "" && { title: clip(title, 300), titleRank: isOwn ? (2 as const) : (1 as const) }),
    };
  }
  const parent = asText(asObject(asObject(state["agents"])[agent])["parentAgentId"]);
  const above = parent === null || parent === "main" ? session : `${session}.${parent}`;
  return { ...folder, ...(above !== null && { parent: above, relation: "subagent" as const }) };
}

export const stepOf = (state: KimiState, lane: string): Step | null =>
  state.steps.find(([name]) => name === lane)?.[1] ?? null;

export function beginStep(state: KimiState, lane: string, key: string): void {
  const others = state.steps.filter(([name]) => name !== lane).slice(1 - LANES);
  state.steps = [...others, [lane, { key, isAsked: false, hasUsage: false }]];
}

/** A name that stands for whatever the environment names is no model. */
export const modelIn = (value: unknown): string | null => {
  const name = asText(value) ?? "";
  return name === "" || /^__.*__$/.test(name) ? null : name.replace(/^kimi-code\//, "");
};
