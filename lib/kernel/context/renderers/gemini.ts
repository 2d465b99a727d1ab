// System instruction and contents of a Gemini request. A model's turn with calls is followed by one turn that holds their
// responses and nothing else, as many as there are calls; what the model signed is replayed as it was.
import { unreadable, type Media } from "./media.ts";
import type { Notes } from "./renderer-notes.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { callPart, LEAD_IN, mediaPart, resultPart, textParts } from "./parts.ts";
import { inOrder, type Answer, type Call, type Result, type Said, type Step } from "./message-steps.ts";
import type { GeminiContent, GeminiPart } from "./provider-requests.ts";
import type { Rendered, RenderedRow, Renderer, RowPart } from "./renderer-types.ts";
import { copyOf, isObject, type JsonObject } from "./values.ts";

type Turn = { role: "user" | "model"; parts: GeminiPart[]; read: RowPart[]; seqs: number[]; rest?: JsonObject };

export const gemini: Renderer<"gemini"> = {
  id: "gemini",
  label: "Gemini",
  ids: { characters: null, maxLength: 1024, unique: false },
  render(steps: readonly Step[], { parity }: RenderOptions, notes: Notes): Rendered<"gemini"> {
    const isSystem = (step: Step): step is Said => step.kind === "said" && step.role === "system";
    const system = steps.filter(isSystem).filter(({ text }) => text !== "");
    if (parity !== undefined) for (const _ of system) notes.leaveOut("system text", "The memory design drops it here.");
    const instructions = parity === undefined ? system : [];
    const turns = steps.filter((step) => !isSystem(step)).flatMap((step) => turnsOf(step, notes));
    const rows = (parity === undefined ? begun(merged(turns)) : turns).map(rowOf);
    const systemRows = instructions.map(({ text, seqs }): RenderedRow<{ text: string }> => ({
      role: "system",
      value: { text },
      parts: textParts(text),
      seqs,
    }));
    const request = {
      ...(systemRows.length > 0 && { systemInstruction: { parts: systemRows.map(({ value }) => value) } }),
      contents: rows.map(({ value }) => value),
    };
    return { request, rows: [...systemRows, ...rows] };
  },
};

function turnsOf(step: Step, notes: Notes): Turn[] {
  if (step.kind === "answer") return answerTurns(step, notes);
  if (step.reasoning !== "") notes.leaveOut("reasoning", UNSIGNED);
  return turn(step.role === "assistant" ? "model" : "user", step.text, step.media, [...step.seqs]);
}

const UNSIGNED = "Thoughts are taken back with their signature only.";

function turn(role: "user" | "model", text: string, media: readonly Media[], seqs: number[]): Turn[] {
  const parts = [...textPart(text), ...media.map(mediaContent)];
  return parts.length === 0 ? [] : [{ role, parts, read: [...textParts(text), ...media.map(mediaPart)], seqs }];
}

const textPart = (text: string): GeminiPart[] => (text === "" ? [] : [{ text }]);

function mediaContent(media: Media): GeminiPart {
  if (media.form === "data") return { inlineData: { data: media.base64, mimeType: media.mimeType } };
  if (media.form === "web" && media.mimeType !== null)
    return { fileData: { fileUri: media.url, mimeType: media.mimeType } };
  return { text: unreadable(media) };
}

function answerTurns(step: Answer, notes: Notes): Turn[] {
  const { calls, seqs, media } = step;
  const content = preservedContent(calls);
  if (step.reasoning !== "" && content === null) notes.leaveOut("reasoning", UNSIGNED);
  const request: Turn =
    content === null
      ? {
          role: "model",
          parts: [...textPart(step.text), ...media.map(mediaContent), ...calls.map(callContent)],
          read: [...textParts(step.text), ...media.map(mediaPart), ...calls.map(callPart)],
          seqs: [...seqs],
        }
      : preservedTurn(content, calls, [...seqs], notes);
  const results = inOrder(step.results, callIds(request));
  const answered: Turn = {
    role: "user",
    parts: results.map(responseContent),
    read: results.map(resultPart),
    seqs: results.flatMap((result) => result.seqs),
  };
  const shown = results.flatMap((result) =>
    result.media.length === 0
      ? []
      : turn("user", `Attached to the result of ${result.name}:`, result.media, [...result.seqs]),
  );
  return [request, answered, ...shown];
}

const callIds = ({ parts }: Turn): unknown[] =>
  parts.flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall["id"]] : []));

const contextOf = ({ native }: Call): Readonly<Record<string, unknown>> =>
  isObject(native) && native["provider"] === "gemini" ? native : {};

function callContent(call: Call): GeminiPart {
  const part = contextOf(call)["functionCallPart"];
  return withCall(isObject(part) ? (copyOf(part) as JsonObject) : {}, call);
}

const withCall = (part: JsonObject, { id, name, arguments: args }: Call): GeminiPart => ({
  ...part,
  functionCall: { ...(isObject(part["functionCall"]) ? part["functionCall"] : {}), id, name, args },
});

const responseContent = ({ id, name, value, error }: Result): GeminiPart => ({
  functionResponse: { id, name, response: error === null ? { result: value } : { error } },
});

/** The model's turn as it came, where one of the calls carries it. */
function preservedContent(calls: readonly Call[]): JsonObject | null {
  const found = calls.map((call) => contextOf(call)["modelContent"]).find(isObject);
  return found === undefined ? null : (copyOf(found) as JsonObject);
}

/** The preserved parts with the final arguments: a call is found by its id, then by its name, and each once. */
function preservedTurn({ parts, ...rest }: JsonObject, calls: readonly Call[], seqs: number[], notes: Notes): Turn {
  const left = [...calls];
  const take = (fits: (call: Call) => boolean): Call | undefined => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const given = (Array.isArray(parts) ? parts.filter(isObject) : []) as JsonObject[];
  const asks = given.map((part) => (isObject(part["functionCall"]) ? part["functionCall"] : null));
  const byId = asks.map((ask) => (ask === null ? undefined : take((call) => call.givenId === ask["id"])));
  const found = asks.map((ask, i) =>
    ask === null ? undefined : (byId[i] ?? take(({ name }) => name === ask["name"])),
  );
  const kept: GeminiPart[] = [];
  const read: RowPart[] = [];
  given.forEach((part, i) => {
    const call = found[i];
    if (asks[i] !== null && call === undefined) {
      // As many responses as calls: one without a response would have the request refused.
      notes.leaveOut("captured call", "It has no result in the context.");
      return;
    }
    // A part that is no call stays as the model sent it.
    kept.push(call === undefined ? (part as GeminiPart) : withCall(part, call));
    read.push(call === undefined ? readOf(part) : callPart(call));
  });
  return {
    role: "model",
    parts: [...kept, ...left.map(callContent)],
    read: [...read, ...left.map(callPart)],
    seqs,
    rest,
  };
}

const readOf = (part: JsonObject): RowPart =>
  typeof part["text"] === "string"
    ? { kind: part["thought"] === true ? "reasoning" : "text", text: part["text"] }
    : { kind: "native", text: JSON.stringify(part) };

/** Turns of the model that meet become one: a call must come right after the user, or after responses. */
function merged(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = [];
  for (const one of turns) {
    const last = all.at(-1);
    if (last?.role !== "model" || one.role !== "model") all.push(one);
    else
      all[all.length - 1] = {
        role: "model",
        parts: [...last.parts, ...one.parts],
        read: [...last.read, ...one.read],
        seqs: [...last.seqs, ...one.seqs],
        rest: { ...last.rest, ...one.rest },
      };
  }
  return all;
}

/** The first turn is the user's: a call that comes first is refused. */
const begun = (turns: readonly Turn[]): readonly Turn[] =>
  turns[0]?.role === "model"
    ? [{ role: "user", parts: textPart(LEAD_IN), read: textParts(LEAD_IN), seqs: [] }, ...turns]
    : turns;

const rowOf = ({ role, parts, read, seqs, rest }: Turn): RenderedRow<GeminiContent> => ({
  role,
  value: { ...rest, role, parts },
  parts: read,
  seqs,
});
