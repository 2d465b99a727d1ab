// What stands before the conversation in every prompt: system prompt, tools, MCP servers, skills, memory files. It is split as
// far as the session's file says what was there; the rest of it is one part of its own.
import { isNamedPart, TOOL_PART } from "../request-records.ts";
import type { SessionLoadFacts } from "./culprits/culprit-types.ts";
import { frameOf } from "./prompt-frame.ts";
import { serverOf, type ServerShare } from "./servers.ts";
import type { LedgerItem } from "./ledger-types.ts";

export const BASE_PARTS = [
  "unsplit",
  "attached",
  "system",
  "tools",
  "mcp",
  "skills",
  "agents",
  "memory",
  "notes",
] as const;
export type BasePartKind = (typeof BASE_PARTS)[number];

export type BasePart = {
  readonly part: BasePartKind;
  readonly label: string;
  /** The event that shows it; null for what is not in the file. */
  readonly seq: number | null;
  /** The most of it in one prompt. */
  readonly tokens: number;
  /** Tokens × calls. */
  readonly sent: number;
  readonly usd: number | null;
};

export type Base = {
  readonly parts: readonly BasePart[];
  readonly sent: number;
  /** Of everything that was sent. */
  readonly share: number;
};

/** The base of the calls from index `start` to `end`, largest part first. */
export function baseOf(session: SessionLoadFacts, start = 0, end = session.ledger.calls.length): Base {
  const { items, calls, costs } = frameOf(session);
  const parts = new Map<string, { -readonly [K in keyof BasePart]: BasePart[K] }>();
  for (const [i, item] of items.entries()) {
    const kind = partOf(item);
    const stay = Math.min(item.to, end) - Math.max(item.from, start);
    if (kind === null || stay <= 0 || item.tokens <= 0) continue;
    const cost = costs[i]!.lifetimeUsd;
    for (const { part, label: name, share } of split(item, kind, session.servers?.get(item.seq ?? -1) ?? [])) {
      const label = part === "unsplit" ? unsplitLabel(session.tools ?? []) : name;
      const tokens = item.tokens * share;
      const usd = cost === null ? null : (cost * share * stay) / (item.to - item.from);
      const known = parts.get(`${part} ${label}`);
      if (known === undefined)
        parts.set(`${part} ${label}`, { part, label, seq: item.seq, tokens, sent: tokens * stay, usd });
      else {
        known.tokens = Math.max(known.tokens, tokens);
        known.sent += tokens * stay;
        known.usd = known.usd === null || usd === null ? null : known.usd + usd;
      }
    }
  }
  let all = 0;
  for (let k = start; k < end; k++) all += calls[k]!.sum;
  const sent = [...parts.values()].reduce((sum, part) => sum + part.sent, 0);
  return {
    parts: [...parts.values()]
      .map((part) => ({ ...part, tokens: Math.round(part.tokens), sent: Math.round(part.sent) }))
      .toSorted((a, b) => b.sent - a.sent),
    sent: Math.round(sent),
    share: all === 0 ? 0 : sent / all,
  };
}

/** What an item of the base is; null for what belongs to the conversation. */
export function partOf({ kind, isHidden, itemClass, label }: LedgerItem): BasePartKind | null {
  if (kind === "prefix" && isHidden && !isNamedPart(label))
    return /^Attached again/.test(label) ? "attached" : "unsplit";
  if (kind === "memory") return itemClass === "summary" ? null : "memory";
  if (kind === "user") return /^# AGENTS\.md\b/.test(label) ? "memory" : null;
  if (kind !== "prefix") return null;
  const subtype = /^\S+/.exec(label)?.[0] ?? "";
  return SUBTYPES.find(([name]) => name.test(subtype))?.[1] ?? "system";
}

const SUBTYPES: readonly (readonly [RegExp, BasePartKind])[] = [
  [new RegExp(`^${TOOL_PART}`), "tools"],
  [/^skill/, "skills"],
  [/^agent_/, "agents"],
  [/^(?:mcp|apps)_/, "mcp"],
  [/tools/, "tools"],
  [/^(?:environment|model|date|hook_|remote_|task_|todo_)/, "notes"],
];

type Share = { readonly part: BasePartKind; readonly label: string; readonly share: number };

const LABELS: Readonly<Record<BasePartKind, string>> = {
  unsplit: "System prompt and tools, not in the file",
  attached: "Attached again after a compaction",
  system: "System prompt",
  tools: "Tools",
  mcp: "MCP servers",
  skills: "Skills",
  agents: "Sub-agents",
  memory: "Memory files",
  notes: "Environment and reminders",
};

/** A listing of several servers' tools is split among them; what is none's stays with its part. */
function split(item: LedgerItem, part: BasePartKind, servers: readonly ServerShare[]): Share[] {
  const own = serverOf(schemaName(item) ?? "");
  if (own !== null) return [{ part: "mcp", label: `MCP server ${own}`, share: 1 }];
  const whole = { part, label: part === "memory" ? memoryLabel(item.label) : LABELS[part], share: 1 };
  const shares = servers.map(({ server, share }): Share => ({ part: "mcp", label: `MCP server ${server}`, share }));
  const rest = 1 - shares.reduce((sum, { share }) => sum + share, 0);
  return shares.length === 0 || rest > 0.001 ? [...shares, { ...whole, share: rest }] : shares;
}

/** The schemas are not in the file; how many there are, and whose, may be. */
function unsplitLabel(tools: readonly string[]): string {
  if (tools.length === 0) return LABELS.unsplit;
  const servers = Map.groupBy(tools, (tool) => serverOf(tool) ?? "");
  const ofServers = [...servers].flatMap(([server, its]) => (server === "" ? [] : [`${server} ${its.length}`]));
  const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  return `System prompt and ${count}${ofServers.length === 0 ? "" : ` (MCP: ${ofServers.join(", ")})`}, not in the file`;
}

const SCHEMA_LABEL = new RegExp(`^${TOOL_PART} (\\S+)`);

/** The tool whose schema an item is, or null. */
export const schemaName = ({ label }: Pick<LedgerItem, "label">): string | null =>
  SCHEMA_LABEL.exec(label)?.[1] ?? null;

/** The file's path as the label has it: its name alone, where its text begins with it. */
export const memoryLabel = (label: string): string =>
  /[^\s"'`(<]*\b(?:AGENTS|CLAUDE|GEMINI|MEMORY)(?:\.local)?\.md\b/i.exec(label)?.[0] ?? LABELS.memory;
