// What a model answers when it is asked for a summary: JSON, JSON in a fence, or JSON somewhere in its words. Anything
// else is an error, and leaves everything as it was. Only texts are taken from it: whatever else it says, a reference, a
// tag, a tool call, is not.
import { fail } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { SEMANTIC_CATEGORIES } from "./memory-types.ts";
import type { SemanticCategory, SummarizedFact, SummarizerResult } from "./memory-types.ts";

export const REPLY_LIMITS = {
  summaryChars: LIMITS.replySummaryChars,
  factChars: LIMITS.replyFactChars,
  facts: LIMITS.replyFacts,
  /** A reply beyond this is not read: a summary of 4,000 characters and 20 facts of 500 fit 50 times. */
  replyChars: LIMITS.replyChars,
  /** Braces that a search for JSON in words begins at. */
  attempts: 50,
} as const;

/** Keys of the reply by category, as models write them; plain facts have none. */
const FACT_KEYS: readonly (readonly [SemanticCategory | undefined, readonly string[]])[] = [
  ["critical_issue", ["critical_issues", "criticalIssues"]],
  ["unresolved_work", ["unresolved_work", "unresolvedWork"]],
  ["user_preference", ["user_preferences", "userPreferences"]],
  ["durable_fact", ["durable_facts", "durableFacts"]],
  ["important_artifact", ["important_artifacts", "importantArtifacts"]],
  [undefined, ["facts", "semantic_facts", "semanticFacts"]],
];
const SUMMARY_KEYS = ["episodic_summary", "episodicSummary", "summary"] as const;

export function parseSummaryReply(reply: string): SummarizerResult {
  if (reply.length > REPLY_LIMITS.replyChars)
    fail(
      "too_large",
      `The summary is ${reply.length} characters long; ${REPLY_LIMITS.replyChars} are read. Ask for a shorter one.`,
    );
  const found = candidates(reply).find((value) => summaryOf(value) !== null);
  if (found === undefined)
    fail(
      "invalid",
      `The reply holds no JSON object with a text "episodic_summary" (${reply.length} characters: ${JSON.stringify(reply.slice(0, 80))}). Try again, or use another summarizer.`,
    );
  return { summary: cut(summaryOf(found)!, REPLY_LIMITS.summaryChars), facts: factsOf(found) };
}

type Json = Record<string, unknown>;

function summaryOf(value: Json): string | null {
  for (const key of SUMMARY_KEYS) {
    const text = value[key];
    if (typeof text === "string" && text.trim() !== "") return text.trim();
  }
  return null;
}

function factsOf(value: Json): SummarizedFact[] {
  const facts = FACT_KEYS.flatMap(([category, keys]) => {
    const list = keys.map((key) => value[key]).find(Array.isArray) ?? [];
    return (list as readonly unknown[]).flatMap((one) => {
      const given = isObject(one) ? one : { fact: one };
      if (typeof given.fact !== "string" || given.fact.trim() === "") return [];
      const named = category ?? categoryOf(given.category);
      const fact = cut(given.fact.trim(), REPLY_LIMITS.factChars);
      return [named === undefined ? { fact } : { fact, category: named }];
    });
  });
  return facts.slice(0, REPLY_LIMITS.facts);
}

const categoryOf = (value: unknown): SemanticCategory | undefined =>
  SEMANTIC_CATEGORIES.find((category) => category === value);

/** Objects that the reply may mean, best first: the whole, what stands in fences, what stands in its words. */
function candidates(reply: string): Json[] {
  const fenced = [...reply.matchAll(/```[a-z]*\s*\n([\s\S]*?)\n\s*```/gi)].map((match) => match[1]!);
  const whole = [reply.trim(), ...fenced].map(objectOf).filter((value) => value !== null);
  return whole.length > 0 ? whole : balanced(reply);
}

/** Objects between a brace and the one that closes it; braces in strings do not count. */
function balanced(text: string): Json[] {
  const found: Json[] = [];
  let from = text.indexOf("{");
  for (let tries = 0; from >= 0 && tries < REPLY_LIMITS.attempts; tries++) {
    const end = closingBrace(text, from);
    const value = end < 0 ? null : objectOf(text.slice(from, end + 1));
    if (value !== null) found.push(value);
    from = text.indexOf("{", value === null ? from + 1 : end + 1);
  }
  return found;
}

function closingBrace(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return i;
  }
  return -1;
}

function objectOf(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const cut = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
