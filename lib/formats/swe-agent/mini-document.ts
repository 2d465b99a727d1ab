// A document of mini-SWE-agent: messages, of which an answer holds one command in a fence, or calls of a shell.
import type { Draft, SourceRecord, Usage } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import { asArray, asNumber, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { elementNames, elementsIn, firstWord, scanJson, valueAt, type JsonRange } from "../json-parts.ts";
import { noPairing, paired, type Pairing } from "../messages/call-pairing.ts";
import { readMessage } from "../messages/message-bodies.ts";
import { providerUsage } from "../messages/provider-usage.ts";
import { eventAt, nameOf, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { statsDraft } from "./swe-stats.ts";

export type MiniState = { id: string | null; count: number };

export const startMini = (): MiniState => ({ id: null, count: 0 });

const FENCE = /```(?:mswea_bash_command|bash|sh|shell)\s*\n([^]*?)\n?```/;

export function isMiniTrajectory(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((message) => isOwnMessage(asObject(message)));
  if (!isObject(value)) return false;
  if ((asText(value["trajectory_format"]) ?? "").startsWith("mini-swe-agent")) return true;
  const info = asObject(value["info"]);
  if (asText(info["mini_version"]) !== null) return true;
  return isObject(value["info"]) && asArray(value["messages"]).some((message) => isOwnMessage(asObject(message)));
}

function isOwnMessage(message: Json): boolean {
  const content = asText(message["content"]) ?? asText(asObject(asArray(message["content"])[0])["text"]) ?? "";
  if (message["role"] === "assistant")
    return /```mswea_bash_command\s/.test(content) || Array.isArray(asObject(message["extra"])["actions"]);
  return message["role"] === "user" && /^\s*<returncode>-?\d+<\/returncode>/.test(content);
}

const nameOfMessage = (message: Json, i: number): string =>
  `${i}.${printOf(jsonText([message["role"], message["content"], message["output"]]))}`;

export const miniNames = (bytes: Uint8Array): string[] | null =>
  elementNames(bytes, scanJson(bytes, []).root === "array" ? "" : "messages", nameOfMessage);

type Run = { readonly lane: string; readonly pairing: Pairing; model: string | null; hasTitle: boolean };

/** A message at a time. */
export function* miniPieces(record: SourceRecord, state: MiniState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  const { bytes, byteStart, byteEnd, line } = record;
  const { root, header, lists, end } = scanJson(bytes, ["messages"]);
  const lane = state.count++ === 0 ? "" : `line-${line}`;
  const messages = lists.get(root === "array" ? "" : "messages") ?? [];
  const info = asObject(header?.["info"]);
  const config = asObject(info["config"]);
  const model = asText(asObject(config["model"])["model_name"]) ?? asText(asObject(config["model"])["model"]);
  const run: Run = { lane, pairing: noPairing(), model, hasTitle: false };
  const position = ({ from, to }: JsonRange): Position => ({
    lane,
    ts: null,
    key: null,
    byteStart: byteStart + from,
    byteEnd: byteStart + to,
  });
  const start = position({ from: 0, to: messages[0]?.from ?? bytes.length });
  const version = asText(info["mini_version"]);
  const about: Draft[] = [
    patchOf(lane, {
      agentName: "mini-SWE-agent",
      ...(version !== null && { agentVersion: version }),
      ...(model !== null && { model }),
      ...(lane !== "" && { relation: "root" as const }),
    }),
    noteAt(start, "session", clip(jsonText({ ...header, messages: undefined }), 1000), { isRecord: false }),
  ];
  const first = messages.slice(0, 3).map((range) => asObject(valueAt(bytes, range))["content"]);
  if (lane === "")
    state.id =
      asText(asObject(header)["instance_id"]) === null
        ? printOf(jsonText(first))
        : `${asText(header!["instance_id"])!}.${printOf(jsonText(first))}`;
  yield about;
  for (const { range, value } of elementsIn(bytes, messages)) {
    const { byteStart: from, byteEnd: to } = position(range);
    if (isObject(value)) yield messageDrafts(value, position(range), run);
    else
      yield [{ kind: "problem", line, byteStart: from, byteEnd: to, reason: "A message that is not a JSON object." }];
  }
  const drafts: Draft[] = statsDraft(asObject(info["model_stats"]), lane, run.model);
  const [status, submission] = [asText(info["exit_status"]), asText(info["submission"])];
  if (status !== null && status !== "") drafts.push(noteAt(start, "exit", status, { isRecord: false }));
  if (submission !== null && submission.trim() !== "")
    drafts.push(noteAt(start, "submission", clip(submission, 20_000), { isRecord: false }));
  const rest = firstWord(bytes, end);
  if (rest < bytes.length) {
    const reason = "The document ends too early or is damaged. What was before is read.";
    drafts.push({ kind: "problem", line, byteStart: byteStart + rest, byteEnd, reason });
  }
  yield drafts;
}

function messageDrafts(message: Json, given: Position, run: Run): Draft[] {
  const extra = asObject(message["extra"]);
  const seconds = asNumber(extra["timestamp"]) ?? asNumber(message["timestamp"]);
  const position: Position = { ...given, ts: seconds === null ? null : Math.round(seconds * 1000) };
  if (message["role"] === "exit") return [noteAt(position, "exit message", asText(message["content"]) ?? "")];
  const items = asArray(message["output"]).filter(isObject);
  const own = readMessage(message);
  const isResponse = Array.isArray(message["output"]) && message["type"] !== "function_call_output";
  const read = isResponse ? items.map((item) => readMessage(item)) : [own];
  return isResponse || own.role === "assistant"
    ? answerDrafts(message, read, position, run)
    : [...refusedDrafts(extra, position, run), ...sentDrafts(message, own, position, run)];
}

/** An answer in a wrong format is not among the messages: the one about it has the response. The model never sees it again. */
function refusedDrafts(extra: Json, position: Position, run: Run): Draft[] {
  const response = asObject(extra["response"]);
  const usage = providerUsage(response["usage"]) ?? providerUsage(extra["usage"]);
  if (usage === null && Object.keys(response).length === 0) return [];
  const callKey = nameOf(position);
  const model = asText(response["model"]) ?? run.model;
  run.model ??= model;
  const answers = asArray(response["choices"]).map((choice) => asObject(asObject(choice)["message"]));
  const said = [...answers, ...asArray(response["output"]).filter(isObject)].flatMap((one) => readMessage(one).said);
  const text = said.map(({ body }) => ("text" in body ? body.text : jsonText(body))).join("\n");
  const subtype = clip(asText(extra["interrupt_type"]) ?? "answer", 60);
  return [
    noteAt(position, subtype, clip(text, 4000), { callKey, isRecord: false }),
    ...(model === null ? [] : [patchOf(run.lane, { model })]),
    callDraft(position, run, model, usage, response),
  ];
}

/** A proxy's answer says its tier beside the usage. */
const callDraft = (position: Position, run: Run, model: string | null, usage: Usage | null, answer: Json): Draft => ({
  ...{ kind: "call", lane: run.lane, key: nameOf(position), ts: position.ts, usage, outputLowerBound: false },
  model: variantOf(model, {}, answer),
});

type Read = ReturnType<typeof readMessage>;

function answerDrafts(message: Json, read: readonly Read[], position: Position, run: Run): Draft[] {
  const extra = asObject(message["extra"]);
  // Of the Responses API the message is the response itself.
  const response = asObject(extra["response"] ?? (message["object"] === "response" ? message : undefined));
  const callKey = nameOf(position);
  const model = asText(response["model"]) ?? read.map((one) => one.model).find((one) => one !== null) ?? run.model;
  run.model ??= model;
  const said = read.flatMap((one) => one.said);
  const hasCalls = said.some(({ body }) => body.type === "tool_call");
  const text = said.flatMap(({ body }) => (body.type === "assistant" ? [body.text] : [])).join("\n");
  const actions = asArray(extra["actions"]).map(
    (action) => asText(action) ?? asText(asObject(action)["command"]) ?? asText(asObject(action)["action"]) ?? "",
  );
  const fenced = FENCE.exec(text)?.[1];
  const commands = hasCalls ? [] : actions.some((one) => one !== "") ? actions : fenced === undefined ? [] : [fenced];
  const bodies = [
    ...said.map(({ body }) => body),
    ...commands.map((command): EventBody => ({
      type: "tool_call",
      toolCallId: null,
      toolName: "bash",
      input: { command },
    })),
  ].map((body, i) => paired(body, `${position.byteStart}.${i}`, run.pairing));
  const drafts: Draft[] = bodies.map((body) => eventAt(position, body, { callKey }));
  if (bodies.length === 0) drafts.push(noteAt(position, "empty answer", "", { callKey }));
  const usage = providerUsage(response["usage"]) ?? providerUsage(extra["usage"]) ?? read[0]?.usage ?? null;
  if (model !== null) drafts.push(patchOf(run.lane, { model }));
  return [...drafts, callDraft(position, run, model, usage, response)];
}

function sentDrafts(message: Json, { role, said: given }: Read, position: Position, run: Run): Draft[] {
  // A command that gave nothing.
  const isEmpty = given.length === 0 && role === "user" && run.pairing.open.length > 0;
  const said: Read["said"] = isEmpty ? [{ body: { type: "user", text: "" }, attachments: [] }] : given;
  const title = run.hasTitle ? null : firstPrompt(said);
  const drafts = said.map(({ body: given, attachments }, i): Draft => {
    const words = given.type === "user" || given.type === "tool_result" ? given.text : "";
    // What comes after a command is what it gave, whatever its frame.
    const isObserved = role === "user" && run.pairing.open.length > 0;
    if (!isObserved && given.type !== "tool_result") return promptDraft(given, position, run, attachments);
    const text = words;
    const result: EventBody = {
      ...(given.type === "tool_result" ? given : { type: "tool_result" as const, toolCallId: null }),
      ...resultParts(text, asObject(message["extra"])),
    };
    const full = asText(asObject(message["extra"])["raw_output"]);
    const isCut = result.saw === "preview" && full !== null;
    return eventAt(position, paired(result, `${position.byteStart}.${i}`, run.pairing), {
      attachments,
      ...(isCut && { fullText: full }),
    });
  });
  return title === null ? drafts : [patchOf(run.lane, { title: clip(title, 300), titleRank: 0 }), ...drafts];
}

function firstPrompt(said: Read["said"]): string | null {
  const text = said.flatMap(({ body }) => (body.type === "user" ? [body.text.trim()] : []))[0] ?? "";
  return text === "" ? null : text;
}

function promptDraft(
  body: EventBody,
  position: Position,
  run: Run,
  attachments: ReturnType<typeof readMessage>["said"][number]["attachments"],
): Draft {
  if (body.type !== "user") return eventAt(position, body, { attachments });
  // After the first prompt nobody but the harness speaks: it says that no command was found, or too many.
  if (run.hasTitle) return eventAt(position, { ...body, injected: "environment" }, { attachments });
  run.hasTitle = true;
  return eventAt(position, body, { startsTurn: true, attachments });
}

function resultParts(text: string, extra: Json) {
  const code = asNumber(extra["returncode"]) ?? /<returncode>(-?\d{1,10})<\/returncode>/.exec(text)?.[1] ?? null;
  const exitCode = code === null ? null : Number(code);
  const detail: ResultDetail = { ...(exitCode !== null && Number.isInteger(exitCode) && { exitCode }) };
  return {
    text,
    isError: /^\s*<exception>|timed out/i.test(text.slice(0, 400)) || (asText(extra["exception_info"]) ?? "") !== "",
    saw: /<elided_chars>|<output_head>/.test(text) ? ("preview" as const) : ("full" as const),
    ...(Object.keys(detail).length > 0 && { detail }),
  };
}
