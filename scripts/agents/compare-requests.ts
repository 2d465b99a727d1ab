// Every request as it was sent, beside the one that Plimsoll shows for that call: system, tools, messages, parameters and cache marks.
import type { Server } from "../bench/bench-server.ts";
import { firstDifference, type Difference } from "./canonical-json.ts";
import { withoutMarks } from "./charged-usage.ts";
import { check, type Check, type Pair } from "./compare-run.ts";
import { joinedTexts, plainChat, plainContents, plainItems, plainMessages } from "./plain-items.ts";
import type { Run } from "./run-agent.ts";
import type { ShownCall, ShownSession } from "./run-sessions.ts";
import type { Body, KeptRequest } from "./script-types.ts";
import type { SentRequestAnswer } from "#lib/wire/sent-request-schema.ts";

export type RequestFigures = {
  /** All that were sent; of Codex those that were answered. */
  readonly requests: number;
  /** Without a difference in anything that is compared. */
  readonly equal: number;
};

/** By part of a request, where it first differs. */
type Differences = Readonly<Record<string, Difference | null>>;

/** Parts that have a check of their own, so that what is left of one does not hide what is new in another. */
const OWN = ["parameters", "instructions"];

/** All requests of a run, those that were not answered and those of no call too. */
export async function compareRequests(
  server: Server,
  {
    requests: sent,
    scenario,
  }: Pick<Run, "requests"> & { readonly scenario: Pick<Run["scenario"], "agent" | "isCarriedOn"> },
  pairs: readonly Pair[],
  sessions: readonly ShownSession[],
): Promise<{ checks: readonly Check[]; figures: RequestFigures }> {
  const calls = new Map(pairs.map(({ request, shown }) => [request.n, shown]));
  const { others, unsent } = otherRequests(sent, calls, sessions);
  /** By check, the requests that it looked at, and what differed. */
  const checked = new Map<string, { requests: number; problems: string[] }>([
    ["requests", { requests: 0, problems: unsent.map((id) => `request ${id} is shown and was never sent`) }],
  ]);
  let equal = 0;
  // Claude Code alone writes its requests down.
  const isWritten = ({ api }: KeptRequest): boolean => api === "messages" && scenario.agent === "claude";
  const looked = sent.filter((request) => isWritten(request) || calls.has(request.n));
  for (const request of looked) {
    const shown = calls.get(request.n) ?? null;
    if (!isWritten(request) && shown === null) continue;
    const differences = Object.entries(
      isWritten(request)
        ? await messagesDifferences(server, request, pathOf(shown, others.get(request.n)))
        : request.api === "messages"
          ? await contextDifferences(
              server,
              shown!,
              request.body,
              scenario.agent === "copilot" ? joinedTexts : asTheyAre,
            )
          : request.api === "chat"
            ? await chatDifferences(server, shown!, request.body)
            : request.api === "gemini"
              ? await geminiDifferences(server, shown!, request.body, scenario.isCarriedOn === true)
              : await responsesDifferences(server, shown!, request.body),
    );
    for (const name of ["requests", ...OWN]) {
      const parts = differences.filter(([part]) => (OWN.includes(part) ? part : "requests") === name);
      if (parts.length === 0) continue;
      const seen = checked.get(name) ?? { requests: 0, problems: [] };
      checked.set(name, seen);
      seen.requests++;
      const first = parts.find(([, difference]) => difference !== null)?.[1];
      if (first)
        seen.problems.push(
          `request ${request.n} (${request.lane}) ${first.path}: sent ${first.sent}, shown ${first.shown}`,
        );
      else if (name === "requests") equal++;
    }
  }
  const checks = [...checked]
    .filter(([, { requests, problems }]) => requests + problems.length > 0)
    .map(([name, { requests, problems }]) =>
      check(name, `${name === "requests" ? equal : requests - problems.length} of ${requests} equal`, problems),
    );
  return { checks, figures: { requests: looked.length, equal } };
}

const asTheyAre = (items: object[]): object[] => items;

/** A record is written just before its request is sent: what lies further apart is another one. */
const SAME_MS = 2000;

type Other = { readonly session: string; readonly requestId: string };

/** Requests of no call, each with the nearest record of no call: found by time, as nothing else is known of both. */
function otherRequests(
  sent: readonly KeptRequest[],
  calls: ReadonlyMap<number, ShownCall | null>,
  sessions: readonly ShownSession[],
): { readonly others: ReadonlyMap<number, Other>; readonly unsent: readonly string[] } {
  const others = new Map<number, Other>();
  const unsent: string[] = [];
  const left = sent.filter(({ n, api }) => api === "messages" && (calls.get(n) ?? null) === null);
  for (const { summary, requests } of sessions)
    for (const { requestId, ts } of requests) {
      const apart = (request: KeptRequest): number => Math.abs(request.atMs - Date.parse(ts ?? ""));
      const nearest = left.filter(({ n }) => !others.has(n)).toSorted((a, b) => apart(a) - apart(b))[0];
      if (nearest !== undefined && apart(nearest) < SAME_MS) others.set(nearest.n, { session: summary.id, requestId });
      else unsent.push(requestId);
    }
  return { others, unsent };
}

function pathOf(shown: ShownCall | null, other: Other | undefined): string | null {
  if (shown !== null) return `/api/sessions/${shown.session}/request?call=${shown.call}`;
  return other === undefined ? null : `/api/sessions/${other.session}/request?request=${other.requestId}`;
}

type ShownRequest = Pick<SentRequestAnswer, "why" | "body" | "isProven">;

async function messagesDifferences(
  server: Server,
  { body: wire }: KeptRequest,
  path: string | null,
): Promise<Differences> {
  if (path === null) return { messages: { path: "the request", sent: "whole", shown: "nothing" } };
  const { why, body, isProven } = JSON.parse((await server.ask("GET", path)).text) as ShownRequest;
  if (body === null) return { messages: { path: "the request", sent: "whole", shown: why ?? "nothing" } };
  // What is equal to the wire must be proved by the file as well.
  if (isProven !== true) return { messages: { path: "the digest", sent: "whole", shown: String(isProven) } };
  const sent = comparable(wire);
  const shown = comparable(body);
  const { system, tools, messages, ...parameters } = sent;
  const { system: shownSystem, tools: shownTools, messages: shownMessages, ...shownParameters } = shown;
  const parts = { system, tools, messages };
  const shownParts = { system: shownSystem, tools: shownTools, messages: shownMessages };
  const unlike = (key: keyof typeof parts): Difference | null =>
    firstDifference(withoutMarks(parts[key]), withoutMarks(shownParts[key]), key);
  const differences = { system: unlike("system"), tools: unlike("tools"), messages: unlike("messages") };
  const isSame = Object.values(differences).every((difference) => difference === null);
  return {
    ...differences,
    // Marks stand in blocks: where those differ there is nothing to compare.
    "cache marks": isSame ? firstDifference(parts, shownParts) : null,
    parameters: firstDifference(parameters, shownParameters),
  };
}

/** What no file holds is left out: how the answer is sent, who pays, and a line for the provider's accounting. */
function comparable(body: Body): Record<string, unknown> {
  const { metadata: _, stream: __, ...rest } = body;
  const system = Array.isArray(body["system"]) ? body["system"] : [];
  const isBilling = (block: unknown): boolean =>
    String((block as { text?: unknown }).text).startsWith("x-anthropic-billing-header:");
  return { ...rest, system: system.filter((block) => !isBilling(block)) };
}

/** Files of pi and Copilot have the messages of a conversation, not its requests: those are held against the context that is shown. */
async function contextDifferences(
  server: Server,
  { session, seq }: ShownCall,
  wire: Body,
  comparableItems: (items: object[]) => object[],
): Promise<Differences> {
  const path = `/api/sessions/${session}/context/raw?as=anthropic&at=${seq}`;
  const shown = JSON.parse((await server.ask("GET", path)).text) as Body;
  const [sent, context] = [wire, shown].map(({ messages }) => comparableItems(plainMessages(messages)));
  return { items: firstDifference(sent, context, "items") };
}

/** Qwen Code's file has the messages of a conversation from its first prompt on; what is sent before it is in no file. */
async function chatDifferences(server: Server, { session, seq }: ShownCall, wire: Body): Promise<Differences> {
  const path = `/api/sessions/${session}/context/raw?as=openai-chat&at=${seq}`;
  const items = plainChat((JSON.parse((await server.ask("GET", path)).text) as Body)["messages"]);
  const all = plainChat(wire["messages"]).filter((item) => !isReminder(item));
  const first = all.findIndex((item) => JSON.stringify(item) === JSON.stringify(items[0]));
  return { items: firstDifference(all.slice(Math.max(0, first)), items, "items") };
}

/**
 * Gemini CLI's file has the messages of a conversation, the client's own first one too. A session that was carried on has that one behind
 * what was copied, and it is shown there: it is left out.
 */
async function geminiDifferences(
  server: Server,
  { session, seq }: ShownCall,
  wire: Body,
  isCarriedOn: boolean,
): Promise<Differences> {
  const path = `/api/sessions/${session}/context/raw?as=gemini&at=${seq}`;
  const shown = JSON.parse((await server.ask("GET", path)).text) as Body;
  const isLeft = ({ text }: { readonly text?: unknown }): boolean =>
    text === BROKEN_OFF || (isCarriedOn && String(text).startsWith("<session_context>"));
  const [items, context] = [wire, shown].map(({ contents }) => plainContents(contents).filter((one) => !isLeft(one)));
  return { items: firstDifference(withoutRepeats(items!), context, "items") };
}

/** Put into a resumed session whose last answer never came. */
const BROKEN_OFF = "[The previous response was interrupted before it completed.]";

/** A resumed session sends each result twice, one behind the other: its file has it in the call, and in the message behind. */
function withoutRepeats<T extends { readonly result?: unknown }>(items: readonly T[]): T[] {
  const isRepeat = (item: T, i: number): boolean =>
    item.result !== undefined && JSON.stringify(item) === JSON.stringify(items[i - 1]);
  return items.filter((item, i) => !isRepeat(item, i));
}

/** Put among the messages when they are sent. */
const isReminder = (item: { readonly text?: unknown }): boolean => String(item.text).startsWith("<system-reminder>");

/** Codex's file has the items of a conversation, not its requests: those are held against the context that is shown. */
async function responsesDifferences(server: Server, { session, seq }: ShownCall, wire: Body): Promise<Differences> {
  const path = `/api/sessions/${session}/context/raw?as=openai-responses&at=${seq}`;
  const shown = JSON.parse((await server.ask("GET", path)).text) as Body;
  const [sentFirst, ...sent] = plainItems(wire["input"]);
  const [shownFirst, ...items] = plainItems(shown["input"]);
  return {
    items: firstDifference(sent, items, "items"),
    instructions: firstDifference(sentFirst, shownFirst, "instructions"),
  };
}
