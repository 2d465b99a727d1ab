// What lies beside a conversation of Cline: in the editor the messages of its panel, which have the usage of each request and say
// what was cut out of the context; on the command line the manifest of the session and its last compaction.
import { NO_USAGE, type SourceFile, type Usage } from "#lib/kernel/draft.ts";
import { asArray, asCost, asCount, asNumber, asObject, asText, isObject, ownEntry, type Json } from "../json.ts";
import { asMs } from "../opencode/opencode-drafts.ts";

export type Request = {
  readonly ts: number;
  readonly usage: Usage;
  readonly usd: number;
  readonly model: string | null;
  /** The last message of the list before what was sent. */
  readonly index: number | null;
};
/** From this time on the messages between two positions of the list are not sent. */
export type Cut = { readonly ts: number; readonly from: number; readonly to: number };
/** Roo: from this time on the messages that name it are not sent. */
export type Truncation = {
  readonly ts: number;
  readonly id: string;
  readonly before: number | null;
  readonly after: number | null;
};
export type Condensed = { readonly ts: number; readonly before: number | null; readonly after: number | null };

export type Beside = {
  readonly requests: readonly Request[];
  /** Sums that the panel has beside requests: of those that a person deleted, of sub-agents, and of what condensed the context. */
  readonly beyond: readonly Request[];
  readonly cuts: readonly Cut[];
  readonly condensed: readonly Condensed[];
  readonly truncations: readonly Truncation[];
  readonly title: string | null;
  readonly cwd: string | null;
  readonly startedAt: number | null;
  readonly parent: string | null;
  /** The last compaction of the command line: how many messages it stands for, and what is sent in their place. */
  readonly compaction: { readonly count: number; readonly messages: readonly Json[] } | null;
};

export const NOTHING: Beside = {
  ...{ requests: [], beyond: [], cuts: [], condensed: [], truncations: [], title: null, cwd: null },
  ...{ startedAt: null, parent: null, compaction: null },
};

/** Requests that are remembered; a task with more keeps the last ones. */
const REQUESTS = 2000;

const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

/** Files beside a conversation, by what they are. */
export function besidePaths(path: string): Record<string, string> {
  const own = /^(.*)\.messages\.json$/.exec(path)?.[1];
  if (own !== undefined) return { manifest: `${own}.json`, compaction: `${own}.compaction.json` };
  const folder = folderOf(path);
  return {
    panel: `${folder}ui_messages.json`,
    old: `${folder}claude_messages.json`,
    item: `${folder}history_item.json`,
  };
}

/** Folders of Roo's, and of those that are built on it. */
const ROO_FOLDER = /rooveterinaryinc|roo-cline|kilocode|zoo-code|\.vscode-mock/i;

export function readBeside({ path, sidecars, before }: SourceFile): Beside {
  const paths = besidePaths(path);
  const of = (name: string): unknown => {
    try {
      return JSON.parse(sidecars.get(paths[name] ?? "") ?? "null");
    } catch {
      return null;
    }
  };
  const known = asObject(before)["beside"];
  if (sidecars.size === 0 && isObject(known)) return known as unknown as Beside;
  const [manifest, item] = [asObject(of("manifest")), asObject(of("item"))];
  const compaction = asObject(of("compaction"));
  const title = asText(asObject(manifest["metadata"])["title"]) ?? asText(item["task"]);
  const started = Date.parse(asText(manifest["started_at"]) ?? "");
  return {
    ...NOTHING,
    ...panelOf(asArray(of("panel") ?? of("old")).map(asObject), ROO_FOLDER.test(path)),
    title,
    cwd: asText(manifest["cwd"]) ?? asText(item["workspace"]),
    startedAt: Number.isFinite(started) ? started : null,
    parent: asText(item["parentTaskId"]) ?? asText(manifest["parent_session_id"]),
    compaction: Array.isArray(compaction["messages"])
      ? { count: asCount(compaction["source_message_count"]), messages: compaction["messages"].map(asObject) }
      : null,
  };
}

const LISTS: Readonly<Record<string, "requests" | "beyond">> = {
  ...{ api_req_started: "requests", deleted_api_reqs: "beyond", subagent_usage: "beyond" },
};

function panelOf(
  messages: readonly Json[],
  isRoo: boolean,
): Pick<Beside, "requests" | "beyond" | "cuts" | "condensed" | "truncations"> {
  const requests: Request[] = [];
  const beyond: Request[] = [];
  const cuts: Cut[] = [];
  const condensed: Condensed[] = [];
  const truncations: Truncation[] = [];
  let end = 0;
  for (const message of messages) {
    const ts = asMs(message["ts"]) ?? 0;
    const [from, to] = asArray(message["conversationHistoryDeletedRange"]).map(asCount);
    if (from !== undefined && to !== undefined && to > end) {
      end = to;
      cuts.push({ ts, from, to });
    }
    const { prevContextTokens, newContextTokens, cost } = asObject(message["contextCondense"]);
    if (message["say"] === "condense_context") {
      condensed.push({ ts, before: asNumber(prevContextTokens), after: asNumber(newContextTokens) });
      beyond.push({ ts, usage: NO_USAGE, usd: asCost(cost) ?? 0, model: null, index: null });
    }
    const truncated = asObject(message["contextTruncation"]);
    const id = asText(truncated["truncationId"]);
    if (message["say"] === "sliding_window_truncation" && id !== null) {
      const { prevContextTokens: full, newContextTokens: rest } = truncated;
      truncations.push({ ts, id, before: asNumber(full), after: asNumber(rest) });
    }
    const list = ownEntry(LISTS, asText(message["say"]));
    if (list === undefined || message["partial"] === true) continue;
    const request = requestOf(message, ts, isRoo);
    if (request !== null) (list === "requests" ? requests : beyond).push(request);
  }
  return { requests: requests.slice(-REQUESTS), beyond: beyond.slice(-REQUESTS), cuts, condensed, truncations };
}

function requestOf(message: Json, ts: number, isRoo: boolean): Request | null {
  let told: Json;
  try {
    told = asObject(JSON.parse(asText(message["text"]) ?? ""));
  } catch {
    return null;
  }
  // A request that was cut off before its answer has no counts.
  if (typeof told["tokensIn"] !== "number" && typeof told["tokensOut"] !== "number") return null;
  const { modelId, providerId } = asObject(message["modelInfo"]);
  const isTotal = isRoo || told["apiProtocol"] !== undefined || /openai/.test(asText(providerId) ?? "");
  const counts = {
    input: told["tokensIn"],
    output: told["tokensOut"],
    read: told["cacheReads"],
    write: told["cacheWrites"],
  };
  const model = asText(modelId);
  const index = asNumber(message["conversationHistoryIndex"]);
  return { ts, usage: clineUsage(counts, isTotal), usd: asCost(told["cost"]) ?? 0, model, index };
}

/** Some releases give a message no time: that of the request with which it was sent, or that it answers. */
export function requestTime({ role }: Json, position: number, requests: readonly Request[]): number | null {
  const before = position - (role === "assistant" ? 2 : 1);
  return requests.findLast(({ index }) => index === before)?.ts ?? null;
}

type Counts = { readonly [name in "input" | "output" | "read" | "write"]: unknown };

/** Roo and the command line count what is in the cache among the input; the editor's Cline counts it apart, but for OpenAI's models. */
export function clineUsage(counts: Counts, isTotal: boolean): Usage {
  const [input, output] = [asCount(counts.input), asCount(counts.output)];
  const [cacheRead, cacheWrite] = [asCount(counts.read), asCount(counts.write)];
  // Early releases of Roo counted apart as well: then the sum does not fit.
  const isInside = isTotal && input >= cacheRead + cacheWrite;
  const inputUncached = isInside ? input - cacheRead - cacheWrite : input;
  return { ...NO_USAGE, inputUncached, cacheRead, cacheWrite, output };
}
