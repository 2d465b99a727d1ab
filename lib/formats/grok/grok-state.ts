// What the parser of Grok's conversations remembers between rows, and what the files beside them say.
import { NO_USAGE, type SourceFile, type Usage } from "#lib/kernel/draft.ts";
import { asArray, asCost, asObject, asText, asTime, asWhole, isObject, type Json } from "../json.ts";
import { areRecordsOf, firstRecords, hasNone } from "../first-records.ts";
import { parseJson } from "../json-parts.ts";
import { splitPrompt } from "../prompt-counts.ts";
import { addOfModel } from "../reported-sums.ts";

export type GrokState = {
  /** Without a folder of its own a conversation is named by what its person says first: the system prompt before is every session's. */
  id: string | null;
  /** What was told about the session last. */
  named: string | null;
  hasTitle: boolean;
  model: string | null;
  /** Answers so far, and whether the one that came last is whole. */
  answers: number;
  isOpen: boolean;
  /** Calls that the provider ran, the last ones: an answer repeats them. */
  hosted: readonly string[];
  about: About | null;
  sums: GrokSums | null;
  /** The sums that were told last. */
  told: string;
  /** How tools ended, by call. A map is not stored: each reading has it from the file beside. */
  readonly done: ReadonlyMap<string, Done>;
};

/** When a tool ended, in how many milliseconds, and whether it failed. */
export type Done = { readonly ts: number | null; readonly ms: number | null; readonly isError: boolean };

type About = {
  readonly title: string | null;
  readonly cwd: string | null;
  readonly branch: string | null;
  readonly model: string | null;
  readonly startedAt: number | null;
  readonly parent: string | null;
  readonly isSubagent: boolean;
};
export type GrokSums = { readonly usd: number; readonly usage: Readonly<Record<string, Usage>> };

/** In each line of a tool that ended. */
export const TOOL_ENDED = '"tool_completed"';

const TYPES: ReadonlySet<string> = new Set([
  "system",
  "user",
  "assistant",
  "reasoning",
  "tool_result",
  "backend_tool_call",
]);

export const isGrokRow = (value: Json): boolean => TYPES.has(asText(value["type"]) ?? "");

/** Fields that rows of other agents with such types have. */
const FOREIGN = [
  "role",
  "uuid",
  "sessionId",
  "session_id",
  "message",
  "data",
  "payload",
  "timestamp",
  "subtype",
  "cli_version",
];

/** A conversation begins with what the system or the person says, and its first rows name nobody else's ids; else it has rows of its own. */
export function isGrokHead(head: Uint8Array): boolean {
  const rows = firstRecords(head).slice(0, 3);
  const [first] = rows;
  // The system prompt may be longer than the head.
  if (first === undefined)
    return (
      head.indexOf(0x0a) < 0 && /^\{"type":"system","content":"/.test(new TextDecoder().decode(head.subarray(0, 64)))
    );
  const begins = first["type"] === "system" || first["type"] === "user";
  return (begins && rows.every((row) => isGrokRow(row) && isPlain(row))) || areRecordsOf(head, isPlain, isOwnRow);
}

const isPlain = (row: Json): boolean =>
  asText(row["type"]) !== null &&
  ("content" in row || row["type"] === "reasoning" || row["type"] === "backend_tool_call") &&
  hasNone(row, FOREIGN);

/** Rows of no other agent: answers with their model, results and calls of the provider's own. */
function isOwnRow(row: Json): boolean {
  if (row["type"] === "assistant") return asText(row["model_id"]) !== null;
  if (row["type"] === "tool_result") return asText(row["tool_call_id"]) !== null;
  return row["type"] === "backend_tool_call" && isObject(row["kind"]);
}

export function besideGrok(path: string): Readonly<Record<"summary" | "updates" | "events", string>> {
  const folder = path.replace(/chat_history\.jsonl$/, "");
  return { summary: `${folder}summary.json`, updates: `${folder}updates.jsonl`, events: `${folder}events.jsonl` };
}

export function startGrok(file: SourceFile): GrokState {
  const before = file.before as Partial<GrokState> | undefined;
  const folder = /([^\\/]+)[\\/]chat_history\.jsonl$/.exec(file.path)?.[1] ?? null;
  return {
    id: folder !== null && /^[\w-]{8,}$/.test(folder) ? folder : null,
    named: null,
    hasTitle: false,
    model: null,
    answers: 0,
    isOpen: false,
    hosted: [],
    about: aboutIn(file) ?? before?.about ?? null,
    sums: sumsIn(file) ?? before?.sums ?? null,
    told: "",
    done: doneIn(file),
  };
}

/** The files beside it grow with it. */
export const resumeGrok = (stored: GrokState, file: SourceFile): GrokState => ({
  ...stored,
  about: aboutIn(file) ?? stored.about,
  sums: sumsIn(file) ?? stored.sums,
  done: doneIn(file),
});

function aboutIn({ path, sidecars }: SourceFile): About | null {
  const text = sidecars.get(besideGrok(path).summary);
  const summary = text === undefined ? null : parseJson(text);
  if (!isObject(summary)) return null;
  const said = (...names: readonly string[]): string | null =>
    names.map((name) => asText(summary[name])?.trim()).find((value) => value) ?? null;
  return {
    title: said("generated_title", "session_summary", "summary"),
    cwd: asText(asObject(summary["info"])["cwd"]) ?? said("cwd", "git_root_dir"),
    branch: said("head_branch", "headBranch"),
    model: said("current_model_id", "model_id", "modelId"),
    startedAt: asTime(summary["created_at"] ?? summary["createdAt"]),
    parent: said("parent_session_id"),
    isSubagent: summary["session_kind"] === "subagent",
  };
}

function doneIn({ path, sidecars }: SourceFile): GrokState["done"] {
  const lines = (sidecars.get(besideGrok(path).events) ?? "").split("\n").filter((line) => line.includes(TOOL_ENDED));
  return new Map(
    lines.flatMap((line) => {
      const event = asObject(parseJson(line));
      const id = asText(event["tool_call_id"]);
      const done = {
        ts: asTime(event["ts"]),
        ms: asWhole(event["duration_ms"]),
        isError: event["outcome"] === "error",
      };
      return id === null ? [] : [[id, done] as const];
    }),
  );
}

/** A dollar has so many ticks. */
const TICKS = 1e10;

/** What the turns used, added up: a turn that is told again holds as it was told last. */
function sumsIn({ path, sidecars }: SourceFile): GrokSums | null {
  const text = sidecars.get(besideGrok(path).updates);
  if (text === undefined) return null;
  const turns = new Map<string, Json>();
  for (const [i, line] of text.split("\n").entries()) {
    if (!line.includes('"usage"')) continue;
    const params = asObject(asObject(parseJson(line))["params"]);
    const update = asObject(params["update"]);
    if (isObject(update["usage"])) turns.set(asText(update["prompt_id"]) ?? `#${i}`, update["usage"]);
  }
  if (turns.size === 0) return null;
  const usage: Record<string, Usage> = {};
  let ticks = 0;
  for (const turn of turns.values()) {
    const models = Object.entries(asObject(turn["modelUsage"]));
    ticks += ticksOf(turn) ?? models.reduce((sum, [, one]) => sum + (ticksOf(one) ?? 0), 0);
    for (const [model, told] of models.length > 0 ? models : ([["", turn]] as const)) {
      addOfModel(usage, model, usageIn(asObject(told)));
    }
  }
  return { usd: ticks / TICKS, usage };
}

const ticksOf = (told: unknown): number | null => asCost(asObject(told)["costUsdTicks"]);

/** What was read from the cache is a part of the input, what was thought one of the output. */
const usageIn = (told: Json): Usage =>
  splitPrompt({
    prompt: told["inputTokens"],
    output: told["outputTokens"],
    cached: told["cachedReadTokens"],
    written: told["cacheCreationTokens"],
    reasoning: told["reasoningTokens"],
  }) ?? NO_USAGE;

/** Texts of content that is one, or a list of blocks. */
export const textIn = (content: unknown): string =>
  asText(content) ??
  asArray(content)
    .map((block) => asText(block) ?? asText(asObject(block)["text"]) ?? "")
    .filter((text) => text !== "")
    .join("\n");
