// A conversation of Cline, Roo or Kilo Code as one document: its messages in order, the compactions and cuts between them, and the
// requests that left no answer.
import { jsonText } from "#lib/kernel/json-text.ts";
import { type Draft, type SessionPatch, type SourceRecord, type Usage } from "#lib/kernel/draft.ts";
import { parsedJson, partsOfDocument } from "../document-parts.ts";
import { asArray, asObject, asText, clip, type Json } from "../json.ts";
import { blockDrafts } from "../anthropic-blocks.ts";
import { asMs } from "../opencode/opencode-drafts.ts";
import { addOfModel } from "../reported-sums.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { requestTime, type Request, type Truncation } from "./cline-beside.ts";
import { isResumption, messageDrafts, type Pass } from "./cline-messages.ts";
import { asBlocks } from "./roo-messages.ts";
import { isMessage, nameOf, type ClineState } from "./cline-state.ts";

/** A message at a time. */
export function* documentPieces(source: SourceRecord, state: ClineState): Generator<readonly Draft[]> {
  if (source.oversized === true) return;
  const { bytes, byteStart, byteEnd, line } = source;
  const { records, header, end } = partsOfDocument(bytes, "messages");
  const { beside, isCommandLine } = state;
  const valueAt = ([from, to]: Range): unknown => asBlocks(parsedJson(bytes.subarray(from, to)));
  const first = firstMessage(records, valueAt);
  nameSession(header ?? {}, first, state);
  const requests = [...beside.requests];
  const pass: Pass = {
    isCommandLine,
    requests,
    failed: [],
    open: [],
    hasTitle: beside.title !== null,
    model: null,
    askedModel: null,
    usd: 0,
  };
  yield headerDrafts(header ?? {}, first, state, textIn(bytes).includes('"metrics"'));
  const resumedAt = isCommandLine ? resumptionOf(bytes, records) : 0;
  /** Of the messages so far. */
  const entries: Entry[] = [];
  const hiddenBy: (string | null)[] = [];
  let truncations = [...beside.truncations];
  const usage: Record<string, Usage> = {};
  let cuts = [...beside.cuts];
  for (const [i, [from, to]] of records.entries()) {
    const drafts: Draft[] = [];
    const range = { byteStart: byteStart + from, byteEnd: byteStart + to };
    const ownDraft = (draft: Draft): Draft => (draft.kind === "event" ? { ...draft, ...range } : draft);
    const value = valueAt([from, to]);
    const entry = entryOf(asObject(value), i, state);
    entries.push(entry);
    hiddenBy.push(hiderOf(asObject(value)));
    for (const one of truncations.filter(({ ts }) => entry.ts !== null && ts <= entry.ts)) {
      truncations = truncations.filter((other) => other !== one);
      drafts.push(ownDraft(truncationDraft(one, entry, stillSent(entries.slice(0, i), hiddenBy, truncations))));
    }
    const due = cuts.filter(({ ts, to: last }) => entry.ts !== null && ts <= entry.ts && last < i);
    cuts = cuts.filter((cut) => !due.includes(cut));
    // Positions count from the last one: earlier cuts are inside it.
    const cut = due.at(-1);
    if (cut !== undefined) drafts.push(ownDraft(cutDraft(cut, i, entries)));
    if (beside.compaction?.count === i && i > 0)
      drafts.push(...compactionDrafts(beside.compaction.messages, entry, entries.slice(0, i)).map(ownDraft));
    if (asObject(value)["isTruncationMarker"] === true) {
      const id = asText(asObject(value)["truncationId"]) ?? "";
      drafts.push(ownDraft(noteOf(entry, "truncation marker", asText(asObject(value)["content"]) ?? "")));
      if (beside.truncations.every((one) => one.id !== id)) {
        const nothing = { ts: entry.ts ?? 0, id, before: null, after: null };
        drafts.push(ownDraft(truncationDraft(nothing, entry, stillSent(entries.slice(0, i), hiddenBy, truncations))));
      }
    } else if (value === undefined)
      drafts.push({ kind: "problem", line, ...range, reason: "A message that is not JSON." });
    else if (!isMessage(value)) {
      const text = clip(jsonText(value), 1000);
      drafts.push(ownDraft(eventOf(entry, { type: "unknown", reason: "A record that is not a message.", text })));
    } else {
      const own = messageOrSummary(value, entry, entries, state, pass);
      drafts.push(...(i < resumedAt ? withoutCalls(own) : own).map(ownDraft), ...titleDrafts(value, pass));
      if (i < resumedAt) pass.usd = 0;
    }
    addUsage(usage, drafts);
    yield drafts;
  }
  yield sums(usage, pass, beside.beyond);
  if (header === null && end < bytes.length) {
    const reason = "The document ends too early or is damaged. What was before is read.";
    yield [{ kind: "problem", line, byteStart: byteStart + end, byteEnd, reason }];
  }
}

type Range = readonly [number, number];

const textIn = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/**
 * Where a task of the editor's versions before 4 goes on as a session: up to there stand copies, the last with the sum of that task. Its
 * calls are in its own files.
 */
function resumptionOf(bytes: Uint8Array, records: readonly Range[]): number {
  const all = textIn(bytes);
  if (!all.includes("legacy conversation") && !all.includes("legacy-resume")) return 0;
  return Math.max(
    records.findIndex(([from, to]) => isResumption(asObject(parsedJson(bytes.subarray(from, to))))),
    0,
  );
}

const withoutCalls = (drafts: readonly Draft[]): Draft[] =>
  drafts
    .filter(({ kind }) => kind !== "call")
    .map((draft) => (draft.kind === "event" ? { ...draft, callKey: null } : draft));

function firstMessage(records: readonly Range[], valueAt: (range: Range) => unknown): Json | undefined {
  for (const range of records) {
    const value = valueAt(range);
    if (isMessage(value)) return value;
  }
  return undefined;
}

function entryOf(message: Json, i: number, state: ClineState): Entry {
  const name = nameOf(message, i);
  const isOwn = asText(message["id"]) === null;
  const ts = asMs(message["ts"]) ?? requestTime(message, i, state.beside.requests);
  return { ts, key: isOwn ? `${state.id ?? ""}/${name}` : name };
}

/** The command line names a session in its header, sub-agents by the name of their file; a task has the name of its folder. */
function nameSession(header: Json, first: Json | undefined, state: ClineState): void {
  if (state.id !== null) return;
  const ts = asMs(first?.["ts"]);
  state.id = asText(header["sessionId"]) ?? (ts === null ? null : String(ts));
}

const ONE_SUM = "Cached tokens are one sum: the file ui_messages.json beside it was not found.";

function headerDrafts(header: Json, first: Json | undefined, state: ClineState, isCounted: boolean): Draft[] {
  const { beside, agentName, id } = state;
  const origin = asObject(header["origin"]);
  const root = asText(origin["parentThreadId"]) ?? state.root ?? asText(header["sessionId"]);
  const isChild = ["subagent", "teammate"].includes(asText(header["agent"]) ?? "") && root !== null && root !== id;
  const parent = isChild ? root : beside.parent;
  const startedAt = beside.startedAt ?? asMs(first?.["ts"]) ?? beside.requests[0]?.ts ?? null;
  const system = asText(header["system_prompt"]);
  const cwd = beside.cwd ?? cwdOf(system ?? "") ?? cwdOf(jsonText(first?.["content"] ?? ""));
  const agentVersion = asText(origin["version"]);
  const patch: SessionPatch = {
    agentName,
    ...(agentVersion !== null && { agentVersion }),
    ...(cwd !== null && { cwd }),
    ...(startedAt !== null && { startedAt }),
    ...(beside.title !== null && { title: clip(beside.title, 300), titleRank: 1 as const }),
    ...(parent !== null && parent !== id && { parent, relation: "subagent" as const }),
    ...(!state.isCommandLine &&
      beside.requests.length === 0 && {
        quality: isCounted ? ONE_SUM : "No tokens: the file ui_messages.json beside it was not found.",
      }),
  };
  const entry: Entry = { ts: startedAt, key: null };
  const { messages: _, system_prompt: __, ...rest } = header;
  return [
    { kind: "session", lane: "", patch },
    noteOf(entry, "session", clip(jsonText(rest), 500)),
    ...(system === null || system === "" ? [] : [eventOf(entry, { type: "system", subtype: "prompt", text: system })]),
  ];
}

const cwdOf = (text: string): string | null =>
  /Working Directory: ([^\n"\\]+)/.exec(text)?.[1] ??
  /# Current W(?:orking|orkspace) Directory \(([^)\n]+)\)/.exec(text)?.[1] ??
  null;

/** Roo keeps what it condensed in the list, and marks the message that stands in its place. */
function messageOrSummary(
  message: Json,
  entry: Entry,
  entries: readonly Entry[],
  state: ClineState,
  pass: Pass,
): Draft[] {
  if (message["isSummary"] !== true) return messageDrafts(message, entry, pass);
  const told = state.beside.condensed.find(({ ts }) => entry.ts !== null && Math.abs(ts - entry.ts) < 60_000);
  const texts = asArray(message["content"]).flatMap((block) => asText(asObject(block)["text"]) ?? []);
  const text = asText(message["content"]) ?? texts.join("\n");
  const isFirst = entries[0] === entry;
  return [
    eventOf(entry, {
      type: "compaction",
      kind: "full",
      trigger: null,
      tokensBefore: told?.before ?? null,
      tokensAfter: told?.after ?? null,
      text,
    }),
    ...(isFirst ? [] : [eventOf(entry, { type: "user", text, injected: "summary" })]),
  ];
}

/** Cline sends the messages before and behind the cut; nothing stands in the place of the others. */
function cutDraft(
  { from, to }: { readonly from: number; readonly to: number },
  at: number,
  entries: readonly Entry[],
): Draft {
  const keys = [...entries.slice(0, from), ...entries.slice(to + 1, at)].flatMap(({ key }) => key ?? []);
  return eventOf(
    { ts: entries[at]!.ts, key: null },
    {
      type: "compaction",
      kind: "full",
      trigger: "truncation",
      tokensBefore: null,
      tokensAfter: null,
      text: "",
      preserved: keys,
    },
  );
}

/** What hides a message of Roo's: a truncation, or its own being a mark of one; null for one that is sent. */
const hiderOf = (message: Json): string | null =>
  message["isTruncationMarker"] === true ? "" : asText(message["truncationParent"]);

/** Names of messages that are sent after the truncations that were made so far. */
const stillSent = (
  entries: readonly Entry[],
  hiddenBy: readonly (string | null)[],
  later: readonly Truncation[],
): string[] =>
  entries.flatMap(({ key }, i) => {
    const hider = hiddenBy[i] ?? null;
    const isSent = hider === null || later.some(({ id }) => id === hider);
    return isSent && key !== null ? [key] : [];
  });

/** Roo leaves messages out when the window is full, and keeps them in the list. */
function truncationDraft({ before, after }: Truncation, { ts }: Entry, preserved: readonly string[]): Draft {
  const sizes = { tokensBefore: before, tokensAfter: after };
  return eventOf(
    { ts, key: null },
    { type: "compaction", kind: "full", trigger: "truncation", ...sizes, text: "", preserved: [...preserved] },
  );
}

/** The command line keeps all messages, and what is sent in the place of the first ones beside them. */
function compactionDrafts(messages: readonly Json[], { ts }: Entry, before: readonly Entry[]): Draft[] {
  const known = new Set(before.flatMap(({ key }) => key ?? []));
  const added = messages.filter((message) => !known.has(asText(message["id"]) ?? ""));
  const preserved = messages.flatMap(({ id }) => (typeof id === "string" && known.has(id) ? [id] : []));
  const entry: Entry = { ts, key: null };
  const own = added.flatMap((message) =>
    blockDrafts("user", message["content"], entry, { callKey: null, injectedOf: () => "summary" }),
  );
  const texts = own.flatMap((draft) => (draft.kind === "event" && draft.body.type === "user" ? [draft.body.text] : []));
  return [
    eventOf(entry, {
      type: "compaction",
      kind: "full",
      trigger: null,
      tokensBefore: null,
      tokensAfter: null,
      text: texts.join("\n"),
      ...(preserved.length > 0 && { preserved }),
    }),
    ...own,
  ];
}

function titleDrafts(message: Json, pass: Pass): Draft[] {
  if (pass.hasTitle || message["role"] !== "user") return [];
  const prompt = messageDrafts(message, { ts: null, key: null }, { ...pass, requests: [], failed: [], open: [] }).find(
    (draft) =>
      draft.kind === "event" && draft.startsTurn && draft.body.type === "user" && draft.body.text.trim() !== "",
  );
  if (prompt?.kind !== "event" || prompt.body.type !== "user") return [];
  pass.hasTitle = true;
  return [{ kind: "session", lane: "", patch: { title: clip(prompt.body.text.trim(), 300), titleRank: 0 } }];
}

/** Requests without an answer are calls all the same; the agent's own dollars stand beside the list price. */
function sums(usage: Record<string, Usage>, pass: Pass, beyond: readonly Request[]): Draft[] {
  const lost = [...pass.failed, ...pass.requests].map(({ ts, usage, usd, ...request }, i): Draft => {
    pass.usd += usd;
    const model = request.model ?? pass.askedModel;
    return { kind: "call", lane: "", key: `request ${ts} ${i}`, ts, model, usage, outputLowerBound: false };
  });
  for (const { usd } of beyond) pass.usd += usd;
  if (pass.usd === 0 && beyond.length === 0) return lost;
  addUsage(usage, lost);
  // No prompts that were sent: they are in the sums alone.
  for (const one of beyond) addOfModel(usage, one.model ?? pass.model ?? "", one.usage);
  return [
    ...lost,
    { kind: "reported", lane: "", usd: pass.usd === 0 ? null : Math.round(pass.usd * 1e9) / 1e9, usage },
  ];
}

function addUsage(usage: Record<string, Usage>, drafts: readonly Draft[]): void {
  for (const draft of drafts)
    if (draft.kind === "call" && draft.usage !== null) addOfModel(usage, draft.model ?? "", draft.usage);
}
