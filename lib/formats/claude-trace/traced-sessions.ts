// Which session and which conversation a traced request belongs to. A sub-agent's requests, a title's and those after a compaction go on
// from no request before: each is a conversation of its own.
import type { CapturedPart } from "#lib/kernel/captured-record.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { exchangeDrafts } from "../captured.ts";
import type { Json } from "../json.ts";
import { patchOf, printOf } from "../placed-drafts.ts";
import { isPair, readPair, type TracedPair } from "./trace-pairs.ts";

export type TraceState = {
  readonly id: string | null;
  /** The session of Claude Code whose requests these are. */
  readonly owner: string | null;
  count: number;
  hasMain: boolean;
  /** The last conversations: how many messages the last request had, and their digest. */
  open: readonly Conversation[];
  /** Keys of parts that were told, in short: they stand in every request. */
  known: readonly string[];
};

type Conversation = { readonly lane: string; readonly count: number; readonly chain: string; readonly parts: string };

/** Conversations and parts that are remembered. */
const [OPEN, PARTS] = [12, 120];

export function startTrace(first: unknown): TraceState {
  const pair = isPair(first) ? readPair(first as Json) : null;
  const id = pair === null ? null : printOf(jsonText([pair.exchange.at, pair.messages[0] ?? null]));
  return { id, owner: pair?.session ?? null, count: 0, hasMain: false, open: [], known: [] };
}

export function pairDrafts(value: Json, state: TraceState): Draft[] {
  const pair = readPair(value);
  const number = ++state.count;
  const { lane, count, parts } = conversationOf(pair, number, state);
  const { owner } = state;
  const list = (pair.exchange.parts ?? []).join(" ");
  const isSame = parts === printOf(list);
  const inner = {
    id: state.id,
    owner: owner === null ? null : { format: "claude-code", id: owner },
    isTold: true as const,
    parts: isSame ? list : "",
    ...{ turn: null, turnCall: 1, unnamed: [] as readonly string[] },
  };
  const exchange = {
    ...pair.exchange,
    exchange: number,
    messages: added(pair.messages, count),
    newParts: isSame ? [] : [...newPartsOf(pair, lane, state)],
  };
  const drafts = exchangeDrafts(exchange, inner);
  if (pair.messages.length > 0) {
    const chain = chainsOf(pair.messages).at(-1) ?? "";
    const others = state.open.filter((one) => one.lane !== lane);
    state.open = [...others, { lane, count: pair.messages.length, chain, parts: printOf(list) }].slice(-OPEN);
  }
  return [
    ...introduction(lane, number, pair, state),
    ...drafts.map((draft): Draft => ("lane" in draft ? { ...draft, lane } : draft)),
  ];
}

/** Parts whose words stand in no line of this conversation yet. */
function newPartsOf({ parts }: TracedPair, lane: string, state: TraceState): readonly CapturedPart[] {
  if (lane !== "") return parts;
  const found = parts.filter(({ key }) => !state.known.includes(shortOf(key)));
  state.known = [...state.known, ...found.map(({ key }) => shortOf(key))].slice(-PARTS);
  return found;
}

const shortOf = (key: string): string => key.slice(0, 16);

function introduction(lane: string, number: number, { exchange }: TracedPair, { owner }: TraceState): Draft[] {
  const quality = "Requests as claude-trace logged them: calls, system prompt and tools are exact.";
  const agentName = "Claude Code";
  const main = patchOf("", {
    ...{ startedAt: exchange.at, agentName, quality },
    ...(owner !== null && { parent: owner, relation: "subagent" as const }),
  });
  return [
    ...(number === 1 ? [main] : []),
    ...(lane === `request-${number}` ? [patchOf(lane, { relation: "subagent", agentName })] : []),
  ];
}

/** The conversation that a request goes on with. The first that a person has is the session's own: it has tools, or a model of size. */
function conversationOf({ messages, exchange, parts }: TracedPair, number: number, state: TraceState): Conversation {
  const chains = chainsOf(messages);
  const known = state.open.findLast(({ count, chain }) => count <= messages.length && chains[count - 1] === chain);
  if (known !== undefined) return known;
  const isLarge = parts.some(({ tool }) => tool !== null) || !/haiku/.test(exchange.model ?? "");
  const isMain = messages.length === 0 || (isLarge && !state.hasMain);
  state.hasMain ||= isMain && messages.length > 0;
  return { lane: isMain ? "" : `request-${number}`, count: 0, chain: "", parts: "" };
}

/** A digest of the first message, of the first two, and so on. */
function chainsOf(messages: readonly Json[]): string[] {
  let before = "";
  return messages.map((message) => (before = printOf(`${before}\n${jsonText(message)}`)));
}

/** What a request adds: the answer before it, which comes first, stands in the line before. */
function added(messages: readonly Json[], from: number): Json[] {
  const rest = messages.slice(from);
  const first = from === 0 ? 0 : rest.findIndex(({ role }) => role !== "assistant");
  return first < 0 ? [] : rest.slice(first);
}
