// What the Codex parser remembers between records: JSON, and at most 4 KB besides the calls that are open.
// A call has no id in these files; it is the k-th of its turn. Turn ids are uuids in files since 0.1xx, so `g:<turn>:<k>`
// names the same call in the re-stamped copy with which a fork begins. Older files have no turns: there the history up to a record
// names it (history-step.ts), and its count a call.
import type { SourceFile } from "#lib/kernel/draft.ts";
import type { ResultDetail } from "#lib/kernel/event.ts";
import { asObject, asText, isObject } from "../json.ts";
import type { Json } from "../json.ts";
import { areRecordsOf } from "../first-records.ts";
import { earlySession } from "./early-session.ts";
import { stepAfter } from "./history-step.ts";
import { asName } from "./read.ts";
import type { Tokens } from "./token-counts.ts";

/** What the client's own log told of a call whose result is still to come. */
export type CallEnd = {
  readonly detail: ResultDetail;
  readonly failed: boolean;
  /** What it holds of a long output: more than the model is shown of one that is cut. */
  readonly output?: string;
};

/** Outputs that wait for their results, in characters: a client keeps 65,536 of each. */
const WAITING_CHARS = 1024 * 1024;

export type CodexState = {
  /** The session's name as the head of the file tells it, else the file's name: settled before a record is read. */
  fileId: string | null;
  /** Id of the first session_meta. */
  id: string | null;
  /** Records without an envelope (before Sept 2025): no usage is ever told, so events name no call. */
  bare: boolean;
  /** The file is one document. */
  readonly isDocument?: true;
  /** The session began as a copy of another: the totals that it starts with are not its own. */
  child: boolean;
  /** The id of the turn, when it is a uuid and so means the same in other files. */
  turn: string | null;
  /** Where a history without turns stands; null where its beginning is not known. */
  step: string | null;
  /** The history has begun: a session_meta behind that is no head of a copy. */
  begun: boolean;
  /** The turn began before the file: which of its records and calls these are, by number, is not known. */
  cut: boolean;
  /** Number of the call in progress, in the turn and in the file. */
  turnCall: number;
  call: number;
  model: string | null;
  /** What the thread asks for as the tier of its requests, until it is set again: answers do not say it. */
  tier: string | null;
  window: number | null;
  /** Prompt of the last call: the context before a compaction. */
  lastInput: number | null;
  /** Totals at the last token_count; null before the first. */
  total: Tokens | null;
  /** Usage of the calls that token_usage_record has told since then, or that the totals have left out. */
  recorded: Tokens[];
  /** Ids of the last responses that it told. */
  responses: string[];
  /** Usage of the call that a token_count has just told, until the model speaks again. */
  justCounted: Tokens | null;
  /** Marks of prompts seen in one of the two logs and not yet in the other. */
  fromHistory: string[];
  fromClient: string[];
  /** The record before was a prompt of the history: the client's copy of it comes next. */
  afterPrompt: boolean;
  /** Rank of the title that was told; -1 before the first. */
  titleRank: number;
  named: boolean;
  hasCwd: boolean;
  open: [id: string, end: CallEnd | null][];
  /** How many records of each kind the turn has had, for those without an identity of their own. */
  nth: { [kind: string]: number };
  /** Key of the last record, and of the one before each of the last prompts: turns are taken back by their number. */
  lastKey: string | null;
  turnStarts: (string | null)[];
  /** There were more prompts than these. */
  hasForgotten: boolean;
  /** Record keys of the last messages that were put before the model: a compaction keeps some of them. */
  inputs: string[];
  said: string[];
  /** Record key of the base instructions. */
  instructions: string | null;
  /** Marks of the last summaries: some versions write them as messages of the history too. */
  summaries: string[];
};

const FILE_ID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl(?:\.zst)?$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function startState(file: SourceFile): CodexState {
  const early = earlySession(file.head);
  const id = early ?? idInHead(file);
  const turn = id === null ? cutTurn(file.head) : null;
  return {
    fileId: id ?? FILE_ID.exec(file.path)?.[1] ?? null,
    id: null,
    bare: early !== null || hasBareItems(file),
    ...(early !== null && { isDocument: true }),
    child: false,
    turn,
    step: null,
    begun: false,
    cut: turn !== null,
    turnCall: 1,
    call: 1,
    model: null,
    tier: null,
    window: null,
    lastInput: null,
    total: null,
    recorded: [],
    responses: [],
    justCounted: null,
    fromHistory: [],
    fromClient: [],
    afterPrompt: false,
    titleRank: -1,
    named: false,
    hasCwd: false,
    open: [],
    nth: {},
    lastKey: null,
    turnStarts: [],
    hasForgotten: false,
    inputs: [],
    said: [],
    instructions: null,
    summaries: [],
  };
}

/**
 * The first session_meta's id (or that of the bare first line of older files), looked for in the first lines. A thread that was set
 * back goes on in another file under its own id, from a part of the one before: such a file has the name that its path has.
 */
function idInHead({ head, path }: SourceFile): string | null {
  const lines = new TextDecoder().decode(head).split("\n", 5);
  const ofPath = FILE_ID.exec(path)?.[1] ?? null;
  for (const line of lines) {
    const value = parseObject(line);
    if (value === null) continue;
    const own = value["type"] === "session_meta" ? asObject(value["payload"]) : isLegacyStart(value) ? value : {};
    const id = asName(own["id"]) ?? asName(own["session_id"]);
    if (id !== null) return baseOf(own) === null ? id : (ofPath ?? id);
  }
  // A first line longer than the head does not parse, but its id stands near its beginning.
  const start = lines[0]!.slice(0, 1000);
  if (!/"type":\s?"session_meta"/.test(start)) return null;
  const id = /"payload":\s?\{\s?"id":\s?"([^"\\]{1,200})"/.exec(start)?.[1] ?? null;
  return /"history_base":\s?\{/.test(lines[0]!) ? (ofPath ?? id) : id;
}

/** The turn that goes on in a file whose first line is gone, where one of its records names it. */
function cutTurn(head: Uint8Array): string | null {
  for (const line of new TextDecoder().decode(head).split("\n")) {
    const { type, payload } = parseObject(line) ?? {};
    const {
      type: kind,
      turn_id: own,
      metadata,
      internal_chat_message_metadata_passthrough: beside,
    } = asObject(payload);
    if (kind === "task_started" || kind === "turn_started") return null;
    // A context is said when a turn begins, and again within it: it does not tell of what is before it.
    if (type === "turn_context") continue;
    const turn = asName(own) ?? asName(asObject(metadata)["turn_id"]) ?? asName(asObject(beside)["turn_id"]);
    if (turn !== null && UUID.test(turn)) return turn;
  }
  return null;
}

/** The file whose first records come before this one's; null for a file that has all of its history. */
export const baseOf = (meta: Json): string | null => asName(asObject(meta["history_base"])["thread_id"]);

export function parseObject(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The bare first line of files before Sept 2025. */
export const isLegacyStart = (value: Json): boolean =>
  value["type"] === undefined &&
  asName(value["id"]) !== null &&
  asText(value["timestamp"]) !== null &&
  (value["instructions"] !== undefined || value["git"] !== undefined) &&
  value["messages"] === undefined &&
  value["projectHash"] === undefined;

/** Items of the provider's that stand without an envelope too: a record that is none of them is not a legacy one. */
export const ITEM_TYPES: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
  "web_search_call",
  "tool_search_call",
  "tool_search_output",
  "image_generation_call",
  "compaction",
  "ghost_snapshot",
]);

const BARE_FILE = /(?:^|[/\\])rollout-[^/\\]*\.jsonl/;

/** Records without an envelope, in a file whose first line is gone: items of the provider's, told from others by the states between them. */
export const hasBareItems = ({ path, head }: SourceFile): boolean =>
  areRecordsOf(head, isBare, (one) => asText(one["record_type"]) !== null || (BARE_FILE.test(path) && isBareItem(one)));

const isBare = (value: Json): boolean => isBareItem(value) || Object.keys(value).join() === "record_type";
const isBareItem = (value: Json): boolean =>
  value["payload"] === undefined && ITEM_TYPES.has(asText(value["type"]) ?? "");

export function startTurn(state: CodexState, turnId: string | null): void {
  const turn = turnId !== null && UUID.test(turnId) ? turnId : null;
  if (turn === state.turn) return;
  if (turn === null) takeStep(state, `turn ${state.turn}`);
  state.turn = turn;
  state.cut = false;
  state.turnCall = 1;
  state.nth = {};
}

/** Key of the call in progress; null where no call is ever told. */
export function callKey(state: CodexState): string | null {
  if (state.bare) return null;
  return state.turn === null || state.cut ? `n:${state.call}` : `g:${state.turn}:${state.turnCall}`;
}

export function closeCall(state: CodexState): void {
  state.call++;
  state.turnCall++;
}

/** The history without turns goes on by a record, and the records behind are numbered anew. */
export function takeStep(state: CodexState, record: string): void {
  if (state.step === null) return;
  state.step = stepAfter(state.step, record);
  state.begun = true;
  state.nth = {};
}

/** Identity that a copy of the record in another file shares; null where neither a turn nor the history gives it one. */
export function recordKey(state: CodexState, kind: string, own: string | null): string | null {
  const turn = state.turn ?? state.step;
  if (turn === null) return null;
  if (own !== null) return `${turn}/${kind}/${own}`;
  if (state.cut) return null;
  const slot = `k:${kind.slice(0, 60)}`;
  const nth = (state.nth[slot] ?? 0) + 1;
  // 24 kinds: a real turn has at most 12.
  if (nth === 1 && Object.keys(state.nth).length >= 24) return null;
  state.nth[slot] = nth;
  return `${turn}/${kind}#${nth}`;
}

/** Remembers one, and forgets the oldest past `most`. */
export function remember<T>(list: T[], item: T, most: number): void {
  list.push(item);
  if (list.length > most) list.shift();
}

/** Takes an item out of a list; tells whether it was there. */
export function take(list: string[], item: string): boolean {
  const at = list.indexOf(item);
  if (at < 0) return false;
  list.splice(at, 1);
  return true;
}

export function openCall(state: CodexState, id: string | null): void {
  // 64: calls in parallel are few; calls that never get a result must not pile up.
  if (id !== null && !state.open.some((one) => one[0] === id)) remember(state.open, [id, null], 64);
}

export function endCall(state: CodexState, id: string | null, end: CallEnd): void {
  const call = state.open.find((one) => one[0] === id);
  if (call === undefined) return;
  const waiting = state.open.reduce((sum, [, other]) => sum + (other?.output?.length ?? 0), 0);
  const output = waiting + (end.output?.length ?? 0) > WAITING_CHARS ? undefined : (end.output ?? call[1]?.output);
  call[1] = {
    detail: { ...call[1]?.detail, ...end.detail },
    failed: end.failed || call[1]?.failed === true,
    ...(output !== undefined && { output }),
  };
}

export function takeCall(state: CodexState, id: string | null): CallEnd | null {
  const at = state.open.findIndex((one) => one[0] === id);
  return at < 0 ? null : state.open.splice(at, 1)[0]![1];
}
