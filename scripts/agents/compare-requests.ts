// Every request as it was sent, beside the one that Plimsoll shows for that call: system, tools, messages, parameters and cache marks.
import type { Server } from "../bench/bench-server.ts";
import { firstDifference, type Difference } from "./canonical-json.ts";
import { withoutMarks } from "./charged-usage.ts";
import { check, type Check, type Pair } from "./compare-run.ts";
import { plainItems } from "./plain-items.ts";
import type { ShownCall } from "./run-sessions.ts";
import type { Body } from "./script-types.ts";

export type RequestFigures = {
  /** Of requests that a call shows. */
  readonly requests: number;
  /** Without a difference in anything that is compared. */
  readonly equal: number;
  /** By part: system, tools, messages, cache marks, parameters. */
  readonly equalParts: Readonly<Record<string, number>>;
};

/** By part of a request, where it first differs. */
type Differences = Readonly<Record<string, Difference | null>>;

export async function compareRequests(
  server: Server,
  pairs: readonly Pair[],
): Promise<{ checks: readonly Check[]; figures: RequestFigures }> {
  const equalParts: Record<string, number> = {};
  const problems: string[] = [];
  const others: string[] = [];
  let requests = 0;
  for (const { request, shown } of pairs) {
    if (shown === null) continue;
    requests++;
    const compare = request.api === "messages" ? messagesDifferences : responsesDifferences;
    const differences = await compare(server, shown, request.body);
    for (const [part, difference] of Object.entries(differences))
      equalParts[part] = (equalParts[part] ?? 0) + (difference === null ? 1 : 0);
    const { parameters, ...parts } = differences;
    const first = Object.values(parts).find((difference) => difference !== null);
    const told = ({ path, sent, shown: said }: Difference): string =>
      `request ${request.n} (${request.lane}) ${path}: sent ${sent}, shown ${said}`;
    if (first) problems.push(told(first));
    if (parameters) others.push(told(parameters));
  }
  const figures = { requests, equal: requests - problems.length, equalParts };
  const checkOf = (name: string, unlike: readonly string[]): Check =>
    check(name, `${requests - unlike.length} of ${requests} equal`, [unlike[0] ?? false]);
  const hasParameters = equalParts["parameters"] !== undefined;
  const checks = [checkOf("requests", problems), ...(hasParameters ? [checkOf("parameters", others)] : [])];
  return { figures, checks };
}

type ShownRequest = { readonly why: string | null; readonly body: Body | null };

async function messagesDifferences(server: Server, { session, call }: ShownCall, wire: Body): Promise<Differences> {
  const path = `/api/sessions/${session}/request?call=${call}`;
  const { why, body } = JSON.parse((await server.ask("GET", path)).text) as ShownRequest;
  if (body === null) return { messages: { path: "the request", sent: "whole", shown: why ?? "nothing" } };
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

/** Codex's file has the items of a conversation, not its requests: those are held against the context that is shown. */
async function responsesDifferences(server: Server, { session, seq }: ShownCall, wire: Body): Promise<Differences> {
  const path = `/api/sessions/${session}/context/raw?as=openai-responses&at=${seq}`;
  const shown = JSON.parse((await server.ask("GET", path)).text) as Body;
  return { items: firstDifference(plainItems(wire["input"]), plainItems(shown["input"]), "input") };
}
