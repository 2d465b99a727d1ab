// Facts that an agent's own summary tells: its goal, what the person wants, what was chosen, what is open. Agents write their
// summaries in sections; a heading tells what its lines are, and the words of a line the rest.
import type { SummarizedFact } from "../memory-types.ts";
import { choicesIn } from "./choices.ts";
import { isConstraint } from "./constraints.ts";
import { contentWords } from "./content-words.ts";
import { GOAL } from "./facts.ts";
import { clipped, oneLine, withoutMark } from "./line-text.ts";
import { NO_CALL } from "./piece.ts";
import { isDecision, isPreference, sentencesOf } from "./sentences.ts";

const FACT_CHARS = 300;
const EACH = { goal: 1, limits: 6, choices: 4, decisions: 4, open: 5 } as const;

/** `## Goal`, `**Goal**`, `1. Primary Request and Intent:`: a short line of its own. */
const HEADING =
  /^\s{0,3}(?:#{1,6}\s+|\*\*|\d{1,2}[.)]\s+)?(?:\*\*)?([\p{L}][^\n:*]{2,60}?)(?<![.!?,;])(?:\*\*)?:?(?:\*\*)?\s*$/u;
const MARKED = /^\s{0,3}(?:#{1,6}\s|\*\*|\d{1,2}[.)]\s)|:\s*(?:\*\*)?$/;
const KINDS: readonly (readonly [Section, RegExp])[] = [
  ["open", /\b(?:pending|next steps?|to-?do|remaining|open|unfinished|left to do|current work)\b/i],
  ["said", /\b(?:user messages?|constraints?|preferences?|requirements?|instructions?|rules?)\b/i],
  ["goal", /\b(?:request|intent|goals?|objectives?|task|purpose)\b/i],
  ["decided", /\b(?:decisions?|approach|architecture|design|concepts|problem solving)\b/i],
];
type Section = "goal" | "said" | "decided" | "open" | "other";
type Line = { readonly section: Section; readonly text: string };

export function factsOfSummary(text: string): SummarizedFact[] {
  const lines = linesOf(text);
  const of = (section: Section): string[] => lines.filter((line) => line.section === section).map((line) => line.text);
  const sentences = lines.flatMap((line) => sentencesOf(line.text).map((one) => ({ ...line, text: one.text.trim() })));
  const goal = of("goal")
    .slice(0, EACH.goal)
    .map((line) => `${GOAL}${sentencesOf(line.replace(/^\d{1,2}[.)]\s+/, ""))[0]?.text ?? line}`);
  // Elsewhere in a summary "must" and "only" are said of code.
  const limits = sentences
    .filter(({ section, text: one }) => (section === "said" || section === "goal") && isConstraint(one))
    .map((one) => one.text);
  const preferences = sentences
    .filter(({ section, text: one }) => section === "said" && isPreference(one) && !isConstraint(one))
    .map((one) => one.text);
  const choices = choicesIn([
    { ...NO_CALL, seq: 1, ref: "", kind: "assistant", text: lines.map((line) => line.text).join("\n") },
  ]);
  const decisions = sentences
    .filter(({ section, text: one }) => section === "decided" && isDecision(one) && contentWords(one).length >= 5)
    .map((one) => one.text);
  return [
    ...factsFrom(goal, EACH.goal, "unresolved_work", 0.85, "goal"),
    ...factsFrom(of("open").flatMap(stepOf), EACH.open, "unresolved_work", 0.8),
    ...factsFrom([...limits, ...preferences], EACH.limits, "user_preference", 0.75, "constraint"),
    ...factsFrom(
      choices.map((one) => `chose ${one.chosen}; gave up ${one.givenUp.join("; ")}`),
      EACH.choices,
      "durable_fact",
      0.65,
      "decision",
    ),
    ...factsFrom(decisions, EACH.decisions, "durable_fact", 0.62, "decision"),
  ];
}

/** No steps: where the agent stopped, in our own summaries, that nothing is open, and what the agent's frame says below its summary. */
const NO_STEP =
  /^(?:last said|no result yet): |^(?:none|nothing|no (?:pending|remaining|open|outstanding|further))\b|^if you need specific details from before compaction|^(?:please )?continue (?:the conversation|with the last task)/i;

const stepOf = (line: string): string[] => (NO_STEP.test(line) ? [] : [`to do: ${line.replace(/^to do: /, "")}`]);

const factsFrom = (
  texts: readonly string[],
  most: number,
  category: NonNullable<SummarizedFact["category"]>,
  salience: number,
  tag?: string,
): SummarizedFact[] =>
  [...new Set(texts.map((text) => clipped(oneLine(text), FACT_CHARS)))]
    .slice(0, most)
    .map((fact) => ({ fact, category, salience, ...(tag !== undefined && { tags: [tag] }) }));

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let section: Section = "other";
  let isCode = false;
  for (const raw of text.split("\n")) {
    if (/^\s*```/.test(raw)) isCode = !isCode;
    else if (!isCode && raw.trim() !== "") {
      const heading = MARKED.test(raw) ? HEADING.exec(raw)?.[1] : undefined;
      if (heading !== undefined) section = KINDS.find(([, pattern]) => pattern.test(heading))?.[0] ?? "other";
      else
        lines.push({ section, text: oneLine(withoutMark(raw.trim())).replace(/\s*\[(?:event|turn_)[^[\]]*\]$/, "") });
    }
  }
  return lines.filter((line) => line.text.length > 3 && !/^<[^>]+>$/.test(line.text));
}
