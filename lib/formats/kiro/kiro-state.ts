// What the parser of Kiro's sessions remembers between records, and what the file beside them says of the session and of its turns.
import type { SessionPatch, SourceFile, Usage } from "#lib/kernel/draft.ts";
import { firstRow } from "../database-rows.ts";
import { areRecordsOf, hasNone } from "../first-records.ts";
import { disjointUsage } from "../disjoint-usage.ts";
import { cutFileName } from "../first-record-name.ts";
import { asArray, asCost, asObject, asText, asTime, asWhole, clip, isObject, type Json } from "../json.ts";
import { addOfModel } from "../reported-sums.ts";
import { TURNS_OF } from "./kiro-database.ts";

export type KiroState = {
  id: string | null;
  /** The session that a sub-agent's file stands in. */
  readonly inside: string | null;
  hasTitle: boolean;
  about: About | null;
  /** What was told of the session, and of its sums, last. */
  told: string;
  toldSums: string;
  /** The time of the prompt: what follows it has none of its own in the log. */
  ts: number | null;
  /** Of the last records: the name of the last message that was in context behind each. `count`: of all so far. */
  tails: (string | null)[];
  count: number;
  call: OpenCall | null;
  /** The file says the size of the context, once for each call. */
  hasSizes: boolean;
  /** The next summary stands for what came before. */
  isSummed: boolean;
};

/** A model call whose records come in no sure order. */
export type OpenCall = { readonly key: string; hasSize: boolean; hasResult: boolean };

type About = {
  readonly patch: SessionPatch;
  readonly model: string | null;
  readonly window: number | null;
  readonly usage: Readonly<Record<string, Usage>>;
  readonly credits: number;
};

/** Records whose place is remembered. */
export const TAILS = 60;

const KINDS: ReadonlySet<string> = new Set([
  "Prompt",
  "AssistantMessage",
  "ToolResults",
  "Compaction",
  "ResetTo",
  "CancelledPrompt",
  "Clear",
]);

export const isLogEntry = (value: unknown): value is Json =>
  isObject(value) && /^v\d+$/.test(asText(value["version"]) ?? "") && KINDS.has(asText(value["kind"]) ?? "");

/** Codex has payloads too: its lines have a type of their own. */
export const isMessage = (value: unknown): value is Json =>
  isObject(value) &&
  asText(value["id"]) !== null &&
  asText(value["timestamp"]) !== null &&
  asText(asObject(value["payload"])["type"]) !== null &&
  hasNone(value, ["type", "role", "message", "sessionId"]);

/** Payloads that no other program's records are likely to have. What is newer stands beside one of them. */
const PAYLOADS: ReadonlySet<string> = new Set([
  ...["user", "assistant", "tool_call", "tool_result", "tombstone", "steering_inclusion"],
  ...["session_start", "session_metadata", "session_event", "turn_start", "turn_end", "usage_summary"],
  ...["sub_agent_start", "sub_agent_progress", "sub_agent_complete", "pending_interaction", "interaction_resolved"],
]);

const fits = (one: Json): boolean => isLogEntry(one) || isMessage(one);
const isSign = (one: Json): boolean => isLogEntry(one) || PAYLOADS.has(asText(asObject(one["payload"])["type"]) ?? "");

export const isKiro = (head: Uint8Array): boolean => areRecordsOf(head, fits, isSign);

const FOLDER = /([\w-]+)[\\/]messages\.jsonl(?:\.zst)?$/;
const SUB_AGENT = /([\w-]+)[\\/]sub-executions[\\/]([\w-]{8,})\.jsonl(?:\.zst)?$/;

export function besideKiro(path: string): readonly string[] {
  if (/[\\/]messages\.jsonl$/.test(path)) return [path.replace(/messages\.jsonl$/, "session.json")];
  return path.endsWith(".jsonl") && !SUB_AGENT.test(path) ? [path.replace(/l$/, "")] : [];
}

export function startKiro(file: SourceFile): KiroState {
  const before = file.before as Partial<KiroState> | undefined;
  const inside = SUB_AGENT.exec(file.path);
  const rows = asText(firstRow(file.head, TURNS_OF)?.["id"]);
  const folder = FOLDER.exec(file.path)?.[1] ?? null;
  const id = rows ?? inside?.[2] ?? (folder !== null && /^[\w-]{12,}$/.test(folder) ? folder : null);
  const about = aboutIn(file);
  return {
    id: id ?? about?.id ?? cutFileName(file),
    inside: inside?.[1] ?? null,
    hasTitle: false,
    about: about?.about ?? before?.about ?? null,
    ...{ told: "", toldSums: "", ts: null, tails: [], count: 0, call: null, hasSizes: false, isSummed: false },
  };
}

/** The file beside it is written anew with each turn. */
export const resumeKiro = (stored: KiroState, file: SourceFile): KiroState => ({
  ...stored,
  about: aboutIn(file)?.about ?? stored.about,
});

function aboutIn({ path, sidecars }: SourceFile): { readonly id: string; readonly about: About } | null {
  const text = besideKiro(path)
    .map((one) => sidecars.get(one))
    .find((one) => one !== undefined);
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    const id = isObject(value) ? asText(value["session_id"] ?? value["id"]) : null;
    return isObject(value) && id !== null ? { id, about: aboutOf(value) } : null;
  } catch {
    // Written at this moment: the next record finds it whole.
    return null;
  }
}

/** Names that each session has until it has one of its own. */
const NAMELESS = /^new session$/i;

function aboutOf(value: Json): About {
  const state = asObject(value["session_state"]);
  const info = asObject(asObject(state["rts_model_state"])["model_info"] ?? state["model_info"]);
  const turns = asArray(asObject(state["conversation_metadata"])["user_turn_metadatas"]).map(asObject);
  const model = asText(info["model_id"]) ?? asText(value["modelId"]) ?? asText(turns.at(-1)?.["model"]);
  const parent = asText(value["parent_session_id"] ?? value["parentSessionId"]);
  const reason = asText(value["session_created_reason"] ?? value["createdReason"]);
  const title = asText(value["title"])?.trim() ?? "";
  const cwd = asText(value["cwd"]) ?? asText(asArray(value["workspacePaths"])[0]) ?? "";
  const startedAt = asTime(value["created_at"] ?? value["createdAt"]);
  const usage: Record<string, Usage> = {};
  let credits = 0;
  for (const turn of turns) {
    credits += creditsIn(turn["metering_usage"]);
    const used = usageOf(turn);
    if (used !== null) addOfModel(usage, asText(turn["model"]) ?? model ?? "", used);
  }
  const patch: SessionPatch = {
    ...(cwd !== "" && { cwd }),
    ...(startedAt !== null && { startedAt }),
    ...(title !== "" &&
      !NAMELESS.test(title) && {
        title: clip(title, 300),
        titleRank: value["titleSetByUser"] === true ? (2 as const) : (1 as const),
      }),
    ...(model !== null && { model }),
    ...(parent !== null && { parent, relation: reason === "subagent" ? ("subagent" as const) : ("fork" as const) }),
  };
  return { patch, model, window: asWhole(info["context_window_tokens"]), usage, credits };
}

/** What the requests of a turn used: Kiro writes zeros where its service did not say. */
const usageOf = (turn: Json): Usage | null =>
  disjointUsage({
    uncached: turn["input_token_count"],
    read: turn["cache_read_input_token_count"],
    write: turn["cache_write_input_token_count"],
    output: turn["output_token_count"],
  });

/** Its own unit, of which no file says what one costs. */
export const creditsIn = (meters: unknown, key = "value"): number =>
  asArray(meters)
    .map(asObject)
    .filter(({ unit }) => unit === "credit")
    .reduce((sum, meter) => sum + (asCost(meter[key]) ?? 0), 0);

export const creditsText = (credits: number): string => `${Math.round(credits * 1e6) / 1e6} credits`;
