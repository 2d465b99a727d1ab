// A session as Markdown for people: facts, turns, answers, tools with their outputs, sub-agents behind it, and what was masked.
import { exactly } from "#lib/kernel/exactly.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { Outputs } from "#lib/wire/export-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { sessionIdOf } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import type { MaskManifest } from "../base/masker.ts";
import { maskText } from "../base/mask-json.ts";
import type { TextHook } from "../base/private-findings.ts";
import { whileSame } from "../base/unchanged-rows.ts";
import { summaryOfSession } from "../sessions/show-session.ts";
import { planSteps, readExported, subAgentsOf, type ExportedEvent, type ExportPlan } from "./exported-events.ts";
import type { ExportTexts } from "./export-file.ts";
import { fenced, inline, quoted } from "./markdown-text.ts";

export type TranscriptOptions = { readonly outputs: Outputs; readonly agents: boolean };

const TITLE_CHARS = 200;
const DEPTH = 8;

export async function* transcriptPieces(
  archive: Archive,
  pk: number,
  options: TranscriptOptions,
  texts: ExportTexts,
): AsyncGenerator<string> {
  yield* whileSame(archive, pk, sessionPieces(archive, pk, options, texts.hook, []));
  yield `---\n\nTranscript by Plimsoll, ${minute(iso(archive.host.now()))}.\n`;
  const masked = texts.masked?.manifest() ?? null;
  if (masked !== null) yield maskedPart(masked);
}

async function* sessionPieces(
  archive: Archive,
  pk: number,
  options: TranscriptOptions,
  hook: TextHook,
  above: readonly number[],
): AsyncGenerator<string> {
  const name = above.length === 0 ? "" : `Sub-agent ${sessionIdOf(archive, pk)}, `;
  const at = (where: string): string => `${name}${where}`;
  yield headOf(archive, pk, hook, at("Session"), above.length > 0);
  const plan = planSteps(archive, pk);
  let turn: number | null = null;
  for (const { seqs, results } of plan.steps)
    for (const seq of [...seqs, ...results].toSorted((a, b) => a - b)) {
      const event = await readExported(archive, pk, seq, options.outputs);
      if (event.startsTurn || turn === null) {
        turn = event.turn;
        yield `##${above.length > 0 ? "#" : ""} Turn ${exactly(turn)}${event.ts === null ? "" : ` · ${minute(event.ts)}`}\n\n`;
      }
      const part = eventPart(event, plan, hook, at(`Event ${seq}`));
      if (part !== null) yield `${part}\n\n`;
    }
  const left = Object.entries(plan.leftOut).map(([type, times]) => `${exactly(times)} ${type}`);
  if (left.length > 0) yield `Left out: ${left.join(", ")} events without words of the conversation.\n\n`;
  if (!options.agents || above.length >= DEPTH) return;
  for (const agent of subAgentsOf(archive, pk))
    if (!above.includes(agent.pk))
      yield* whileSame(archive, agent.pk, sessionPieces(archive, agent.pk, options, hook, [...above, pk]), agent.id);
}

function headOf(archive: Archive, pk: number, hook: TextHook, where: string, isAgent: boolean): string {
  const session = summaryOfSession(archive, pk);
  const { agent, agentVersion, model, startedAt, endedAt, turns, modelCalls, toolCalls, compactions } = session;
  const shown = (text: string): string => inline(hook(text, where));
  const title = shown(session.title.slice(0, TITLE_CHARS).toWellFormed());
  const facts: (readonly [string, string | null])[] = [
    ["Session", `\`${session.id}\``],
    ["Agent", shown([agent, agentVersion, model].filter(Boolean).join(", "))],
    ["Folder", session.cwd === null ? null : shown(session.cwd)],
    ["Time", startedAt === null ? null : `${minute(startedAt)}${endedAt === null ? "" : ` to ${minute(endedAt)}`}`],
    ["Turns", `${exactly(turns)}, ${exactly(modelCalls.own + modelCalls.inherited)} model calls`],
    ["Tool calls", exactly(toolCalls)],
    ["Compactions", compactions === 0 ? null : exactly(compactions)],
  ];
  const lines = facts.flatMap(([label, value]) => (value === null || value === "" ? [] : [`- ${label}: ${value}`]));
  return `${isAgent ? "## Sub-agent: " : "# "}${title}\n\n${lines.join("\n")}\n\n`;
}

const minute = (time: string | null): string => (time === null ? "" : `${time.slice(0, 16).replace("T", " ")} UTC`);

/** One event; null for what has nothing to show. */
function eventPart(event: ExportedEvent, plan: ExportPlan, hook: TextHook, where: string): string | null {
  const { body, seq } = event;
  const text = maskText(event.text, hook, where);
  const name = (words: string): string => `**${words}** · event ${seq}${event.inherited ? " · inherited" : ""}`;
  switch (body.type) {
    case "user":
      return body.injected === undefined
        ? said(name("User"), text, body.images)
        : `${name(`Added by the agent, ${inline(body.injected)}`)}\n\n${fenced(text)}`;
    case "assistant":
      return text.trim() === "" ? null : said(name("Assistant"), text, body.images);
    case "reasoning":
      return text.trim() === "" ? null : said(name("Reasoning"), text, undefined);
    case "tool_call":
      return `${name(inline(hook(body.toolName, where)))}\n\n${inputPart(body, text)}`;
    case "tool_result":
      return `${name(resultName(event, plan))}\n\n${text === "" ? "No text." : fenced(text)}`;
    case "compaction":
      return `${name(body.kind === "full" ? "Compaction" : "Tool results cleared")}${text.trim() === "" ? "" : `\n\n${quoted(text)}`}`;
    case "rewind":
      return `${name("Rewound to an earlier message")}`;
    case "error":
      return `${name("Error")}\n\n${fenced(text)}`;
    default:
      return text.trim() === "" ? null : `${name(`System, ${inline(kindOf(body))}`)}\n\n${fenced(text)}`;
  }
}

const kindOf = (body: EventBody): string => ("subtype" in body ? body.subtype.replaceAll("_", " ") : body.type);

function said(name: string, text: string, images: readonly { mediaType: string }[] | undefined): string {
  const shown = (images ?? []).map(({ mediaType }) => `Image, ${inline(mediaType)}: not included.`);
  return [name, ...(text.trim() === "" ? [] : [quoted(text.trim())]), ...shown].join("\n\n");
}

/** A command or a free text as it is; other inputs as JSON. */
function inputPart(body: Extract<EventBody, { type: "tool_call" }>, text: string): string {
  const input = typeof body.input === "string" ? text : parsed(text);
  if (typeof input === "string") return fenced(input);
  const { command, ...rest } = (input ?? {}) as Record<string, unknown>;
  if (typeof command === "string" && Object.keys(rest).every((key) => key === "description"))
    return fenced(command, "sh");
  return fenced(JSON.stringify(input, null, 2), "json");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function resultName({ body, isCut, bytes, storedBytes, seq, text }: ExportedEvent, plan: ExportPlan): string {
  const { isError, saw } = body as Extract<EventBody, { type: "tool_result" }>;
  const callSeq = plan.interactions.get(seq)?.callSeq ?? null;
  const size = (bytesOf: number): string => `${exactly(bytesOf)} bytes`;
  return [
    callSeq === null ? "Result without a call" : `Result of event ${callSeq}`,
    ...(isError ? ["error"] : []),
    isCut ? `first ${exactly(text.length)} characters of ${size(storedBytes ?? bytes)}` : size(bytes),
    ...(!isCut && saw === "preview" && storedBytes !== null ? [`stored: ${size(storedBytes)}`] : []),
  ].join(", ");
}

function maskedPart({ sentence, values }: MaskManifest): string {
  const rows = values.map(
    ({ mask, kind, times, positions }) =>
      `| \`${mask}\` | ${kind} | ${exactly(times)} | ${positions.map(inline).join("; ")} |`,
  );
  const table =
    rows.length === 0 ? "" : `\n| mask | kind | times | first in |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  return `\n${sentence}\n${table}`;
}
