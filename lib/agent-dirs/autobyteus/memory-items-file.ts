// Episodic and semantic items as lines. The second generation's own code empties semantic.jsonl, and deletes the context,
// when a single line of it has another shape than its own: each line that we write is checked as it would check it.
import {
  SEMANTIC_CATEGORIES,
  type EpisodicItem,
  type SemanticCategory,
  type SemanticItem,
} from "#lib/kernel/memory/memory-types.ts";
import { asNumber, asText, asTexts, valueText } from "./json-value.ts";
import { isObject, type JsonObject } from "./trace-lines.ts";
import type { Generation } from "./raw-trace.ts";

export const isEpisodicRecord = (value: JsonObject): boolean => typeof value["summary"] === "string";
export const isSemanticRecord = (value: JsonObject): boolean => typeof value["fact"] === "string";

export function episodicOf(value: JsonObject): EpisodicItem {
  const tags = asTexts(value["tags"]);
  return {
    id: asText(value["id"]) ?? "",
    ts: asNumber(value["ts"]) ?? 0,
    turnIds: asTexts(value["turn_ids"]) ?? [],
    summary: asText(value["summary"]) ?? "",
    salience: asNumber(value["salience"]) ?? 0,
    ...(tags !== undefined && { tags }),
  };
}

export function semanticOf(value: JsonObject): SemanticItem {
  const tags = asTexts(value["tags"]);
  const confidence = asNumber(value["confidence"]);
  return {
    id: asText(value["id"]) ?? "",
    ts: asNumber(value["ts"]) ?? 0,
    fact: asText(value["fact"]) ?? "",
    salience: asNumber(value["salience"]) ?? 0,
    ...(isCategory(value["category"]) && { category: value["category"] }),
    ...(tags !== undefined && { tags }),
    ...(confidence !== null && { confidence }),
  };
}

export function episodicLine(item: EpisodicItem, generation: Generation | null): string {
  const { id, ts, turnIds, summary, salience, tags = [] } = item;
  return `${valueText({ id, ts, turn_ids: turnIds, summary, salience, ...(generation === 1 && tags.length > 0 && { tags }) })}\n`;
}

/** Where a fact of no category goes in a directory that has them. */
const PLAIN: SemanticCategory = "durable_fact";

export function semanticLine(item: SemanticItem, generation: Generation): string {
  const { id, ts, fact, salience, category = PLAIN, confidence = 0, tags = [] } = item;
  return generation === 1
    ? `${valueText({ id, ts, fact, confidence, salience, ...(tags.length > 0 && { tags }) })}\n`
    : `${valueText({ id, ts, category, fact, salience })}\n`;
}

/** The check that the second generation makes of a semantic record when it starts. */
export const passesGate = (value: unknown): boolean =>
  isObject(value) &&
  typeof value["id"] === "string" &&
  asNumber(value["ts"]) !== null &&
  isCategory(value["category"]) &&
  typeof value["fact"] === "string" &&
  value["fact"].trim() !== "" &&
  asNumber(value["salience"]) !== null &&
  !Object.hasOwn(value, "tags") &&
  !Object.hasOwn(value, "reference");

const isCategory = (value: unknown): value is SemanticCategory =>
  (SEMANTIC_CATEGORIES as readonly unknown[]).includes(value);
