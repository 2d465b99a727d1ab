// One chat of Aider as drafts. A history has what was typed, answered and printed, and not what Aider sent: neither its system prompt, nor
// files and repository map, nor what a linter or a test said.
import type { Draft, SessionPatch, Usage } from "#lib/kernel/draft.ts";
import { asTime, clip } from "../json.ts";
import { eventAt, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { splitThought } from "../thought-tags.ts";
import { blockText, type AiderBlock, type AiderChat } from "./aider-blocks.ts";
import { dollarsIn, printedUsage } from "./aider-usage.ts";

type ChatPosition = { readonly lane: string; readonly cwd: string | null; readonly base: number };

type Reading = ChatPosition & {
  /** What Aider said of itself so far. */
  model: string | null;
  editor: string | null;
  /** The text of the answer before, and whether Aider gave it to the model that edits. */
  answered: string;
  isEditing: boolean;
  isTitled: boolean;
};

const QUALITY = "Aider rounds tokens and costs, and writes neither times nor what it sent of files.";

export function chatDrafts({ start, blocks }: AiderChat, given: ChatPosition): Draft[] {
  const { lane, cwd } = given;
  const reading: Reading = { ...given, model: null, editor: null, answered: "", isEditing: false, isTitled: false };
  const startedAt = asTime(start?.replace(" ", "T"));
  const drafts: Draft[] = [
    patchOf(lane, {
      ...{ agentName: "Aider", quality: QUALITY },
      ...(cwd !== null && { cwd }),
      ...(startedAt !== null && { startedAt }),
      ...(lane !== "" && { relation: "root" }),
    }),
  ];
  for (const [i, block] of blocks.entries()) {
    if (block.kind === "typed") drafts.push(...typedDrafts(block, isAnswered(blocks, i), reading));
    else if (block.kind === "answer") drafts.push(...answerDrafts(block, blocks[i + 1], reading));
    else drafts.push(...printedDrafts(block, blocks[i - 1]?.kind === "answer", reading));
  }
  const usd = blocks.flatMap(({ lines }) => lines.flatMap((line) => dollarsIn(line) ?? [])).at(-1);
  return usd === undefined ? drafts : [...drafts, { kind: "reported", lane, usd, usage: {} }];
}

const positionOf = ({ from, to }: AiderBlock, { lane, base }: ChatPosition): Position => ({
  ...{ lane, ts: null, key: null, byteStart: base + from, byteEnd: base + to },
});

/** An answer comes before anything else is typed. */
function isAnswered(blocks: readonly AiderBlock[], at: number): boolean {
  let next = at + 1;
  while (blocks[next]?.kind === "printed") next++;
  return blocks[next]?.kind === "answer";
}

function typedDrafts(block: AiderBlock, hasAnswer: boolean, reading: Reading): Draft[] {
  const position = positionOf(block, reading);
  const text = blockText(block);
  if (text === "" || text === "<blank>") return [noteAt(position, "input", "")];
  // Aider types a plan itself, for the model that edits.
  reading.isEditing = text === reading.answered;
  if (reading.isEditing) return [eventAt(position, { type: "user", text, injected: "client" })];
  // A question behind `/ask` is typed again, without it. What a command prints and sends itself is answered as it stands.
  if (/^[/!]/.test(text) && !hasAnswer) {
    const command = eventAt(position, { type: "user", text, injected: "command" });
    return /^\/(?:clear|reset)\b/.test(text)
      ? [command, eventAt(position, { type: "rewind", text: "", after: null }, { isRecord: false })]
      : [command];
  }
  const title: Draft[] = reading.isTitled ? [] : [patchOf(reading.lane, { title: clip(text, 300), titleRank: 0 })];
  reading.isTitled = true;
  return [...title, eventAt(position, { type: "user", text }, { startsTurn: true })];
}

function answerDrafts(block: AiderBlock, next: AiderBlock | undefined, reading: Reading): Draft[] {
  const position = positionOf(block, reading);
  const callKey = `n:${position.byteStart}`;
  const { thought, answer: text } = splitThought(blockText(block));
  reading.answered = text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
  return [
    ...(thought === "" ? [] : [eventAt(position, { type: "reasoning", text: thought }, { callKey })]),
    ...(text === "" && thought !== "" ? [] : [eventAt(position, { type: "assistant", text }, { callKey })]),
    callOf(callKey, next?.kind === "printed" ? (usagesIn(next)[0] ?? null) : null, reading),
  ];
}

const usagesIn = ({ lines }: AiderBlock): Usage[] => lines.flatMap((line) => printedUsage(line) ?? []);

/** The figures are rounded: none is as the provider reported it. */
const callOf = (key: string, usage: Usage | null, { lane, model, editor, isEditing }: Reading): Draft => ({
  ...{ kind: "call", lane, key, ts: null, model: isEditing ? (editor ?? model) : model, usage },
  ...(usage !== null && { counted: true }),
  outputLowerBound: false,
});

/** Figures of the answer before are its own; further ones are of answers without a text. */
function printedDrafts(block: AiderBlock, isBehindAnswer: boolean, reading: Reading): Draft[] {
  const position = positionOf(block, reading);
  const about = block.lines.flatMap((line) => saidIn(line, reading) ?? []);
  const errors = block.lines.filter((line) => /^litellm\.\w*(?:Error|Exception)\b/.test(line));
  return [
    ...about.map((patch) => patchOf(reading.lane, patch)),
    noteAt(position, "printed", blockText(block)),
    ...errors.map((text) => eventAt(position, { type: "error", text: clip(text, 2000) }, { isRecord: false })),
    ...usagesIn(block)
      .slice(isBehindAnswer ? 1 : 0)
      .map((usage, i) => callOf(`n:${position.byteStart}.${i}`, usage, reading)),
  ];
}

/** Releases of 2023 name the model alone. */
const MODEL = /^(?:Main model|Models?): (\S+)(?:$| (?:with|using) \S+ edit format)/;

/** Aider says what it is when a chat begins, and when a model is chosen. */
function saidIn(line: string, reading: Reading): SessionPatch | null {
  const agentVersion = /^Aider v(\d\S*)$/.exec(line)?.[1];
  if (agentVersion !== undefined) return { agentVersion };
  const cwd = /^Git working dir: (.+)$/.exec(line)?.[1];
  if (cwd !== undefined) return { cwd };
  reading.editor = /^Editor model: (\S+) with /.exec(line)?.[1] ?? reading.editor;
  const model = MODEL.exec(line)?.[1];
  if (model === undefined) return null;
  reading.model = model;
  return { model };
}
