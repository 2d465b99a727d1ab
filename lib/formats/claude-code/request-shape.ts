// System prompt and tools of a request, which Claude Code writes from 2.1.330 on: each block and each tool is an event, told when
// it comes, and a note says which of them stand from there on.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { SYSTEM_PART, TOOL_PART } from "#lib/kernel/request-records.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import { shortOf, type ClaudeState } from "./claude-state.ts";
import { SHAPE } from "./request-subtypes.ts";

/** It keeps a feature of the provider switched on; its schema is loaded for nobody. */
const PLACEHOLDER = "DeferredToolPlaceholder";

export function shapeDrafts(value: Json, lane: string, ts: number | null, state: ClaudeState): Draft[] {
  const shape = asObject(value["shape"]);
  const bodies = [...asArray(shape["system"]).map(systemPart), ...asArray(shape["tools"]).flatMap(toolPart)];
  const parts = new Map(bodies.map((body) => [shortOf(`${body.subtype} ${body.text}`), body]));
  const known = `parts ${lane}`;
  const before = new Set((state.lastValues[known] ?? "").split(" "));
  state.lastValues[known] = [...parts.keys()].join(" ");
  const note: Note = { type: "meta", subtype: SHAPE, text: asText(value["shapeHash"]) ?? "", parts: [...parts.keys()] };
  const came = [...parts].filter(([part]) => !before.has(part)).map(([part, body]) => ({ ...body, part }));
  const one = { kind: "event", lane, ts, recordKey: null, callKey: null, startsTurn: false } as const;
  return [note, ...came].map((body) => ({ ...one, body }));
}

type Note = Extract<EventBody, { type: "meta" }>;

const systemPart = (block: unknown): Note => ({
  type: "meta",
  subtype: SYSTEM_PART,
  text: asText(block) ?? asText(asObject(block)["text"]) ?? jsonText(block),
  sent: "prefix",
  rendered: "system",
});

function toolPart(value: unknown): Note[] {
  const { name, description, input_schema } = asObject(value);
  const known = asText(name);
  if (known === null || known === PLACEHOLDER) return [];
  const text = jsonText({ name, description, input_schema });
  return [{ type: "meta", subtype: TOOL_PART, name: known, text, sent: "tools", rendered: "system" }];
}
