// Every request as it was sent, beside the one that Plimsoll shows for that call: system, tools, messages, parameters and cache marks.
import type { Server } from "../bench/bench-server.ts";
import { firstDifference, type Difference } from "./canonical-json.ts";
import { withoutMarks } from "./charged-usage.ts";
import { check, type Check, type Pair } from "./compare-run.ts";
import { plainItems } from "./plain-items.ts";
import type { ShownCall } from "./run-sessions.ts";
import type { Body } from "./script-types.ts";

export type RequestFigures = {
  /** All that were answered, those that no call shows too. */
  readonly requests: number;
  /** Without a difference in anything that is compared. */
  readonly equal: number;
};

/** By part of a request, where it first differs. */
type Differences = Readonly<Record<string, Difference | null>>;

/** Parts that have a check of their own, so that what is left of one does not hide what is new in another. */
const OWN = ["parameters", "instructions"];

export async function compareRequests(
  server: Server,
  pairs: readonly Pair[],
): Promise<{ checks: readonly Check[]; figures: RequestFigures }> {
  /** By check, the requests that it looked at, and what differed. */
  const checked = new Map<string, { requests: number; problems: string[] }>();
  for (const { request, shown } of pairs) {
    if (shown === null) continue;
    const compare = request.api === "messages" ? messagesDifferences : responsesDifferences;
    const differences = Object.entries(await compare(server, shown, request.body));
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
    }
  }
  const checks = [...checked].map(([name, { requests, problems }]) =>
    check(name, `${requests - problems.length} of ${requests} equal`, problems),
  );
  const { requests = 0, problems = [] } = checked.get("requests") ?? {};
  return { checks, figures: { requests: pairs.length, equal: requests - problems.length } };
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
  const [sentFirst, ...sent] = plainItems(wire["input"]);
  const [shownFirst, ...items] = plainItems(shown["input"]);
  return {
    items: firstDifference(sent, items, "items"),
    instructions: firstDifference(sentFirst, shownFirst, "instructions"),
  };
}
