// What holds beyond the summary, in the log's own words: the goal, limits and preferences, choices with what was given up, open
// steps, failing commands, changed files, artifacts. At most as many as a model's reply may have.
import type { SummarizedFact } from "../memory-types.ts";
import { choicesIn } from "./choices.ts";
import { commandsRun } from "./commands-run.ts";
import { isConstraint } from "./constraints.ts";
import { contentWords } from "./content-words.ts";
import { deedOf, touchedFiles } from "./file-ledger.ts";
import { clipped, oneLine } from "./line-text.ts";
import { openItems } from "./open-items.ts";
import type { Piece } from "./piece.ts";
import { limitsOf, messagesOf } from "./said.ts";
import { isDecision, isPreference, sentencesOf } from "./sentences.ts";

const FACT_CHARS = 500;
/** Of each kind, at most; together the twenty that a model's reply may have. */
const EACH = {
  limits: 4,
  preferences: 2,
  choices: 3,
  decisions: 1,
  open: 3,
  failing: 2,
  files: 3,
  artifacts: 1,
} as const;
/** Fewer content words, or more characters, are no decision that can be told by itself. */
const DECISION = { words: 6, chars: 240 } as const;

type Found = { readonly text: string; readonly seqs: readonly number[] };

export type FactOptions = {
  /** Facts that memory has already: what the goal is, and which commands failed. */
  readonly known?: readonly string[];
};

export const GOAL = "goal: ";

export function factsOf(pieces: readonly Piece[], { known = [] }: FactOptions = {}): SummarizedFact[] {
  const messages = messagesOf(pieces);
  const commands = commandsRun(pieces);
  const fact = (found: Found, more: Omit<SummarizedFact, "fact" | "seqs">): SummarizedFact => ({
    fact: clipped(oneLine(found.text), FACT_CHARS),
    seqs: found.seqs,
    ...more,
  });
  const goal = known.some((one) => one.startsWith(GOAL)) ? undefined : messages[0];
  const limits = limitsOf(messages, 4 * FACT_CHARS).slice(0, EACH.limits);
  const choices = choicesIn(pieces).slice(-EACH.choices);
  const failed = commands.filter(({ isFailed }) => isFailed).slice(0, EACH.failing);
  const open = openItems(pieces).filter(({ text }) => text.startsWith("to do: "));
  const changed = touchedFiles(pieces).filter(({ does }) => does !== "read");
  return [
    ...failed.map(({ text, ended, seqs }) =>
      fact({ text: `${ended}: ${text}`, seqs }, { category: "critical_issue", salience: 0.9 }),
    ),
    ...(goal === undefined
      ? []
      : [
          fact(
            { text: `${GOAL}${sentencesOf(goal.text)[0]!.text}`, seqs: [goal.seq] },
            { category: "unresolved_work", salience: 0.85, tags: ["goal"] },
          ),
        ]),
    ...open
      .slice(0, EACH.open)
      .map(({ text, seq }) => fact({ text, seqs: [seq] }, { category: "unresolved_work", salience: 0.8 })),
    ...limits.map(({ text, seq }) =>
      fact({ text, seqs: [seq] }, { category: "user_preference", salience: 0.75, tags: ["constraint"] }),
    ),
    ...preferences(messages).map((found) =>
      fact(found, { category: "user_preference", salience: 0.7, tags: ["preference"] }),
    ),
    ...choices.map(({ chosen, givenUp, seqs }) =>
      fact(
        { text: `chose ${chosen}; gave up ${givenUp.join("; ")}`, seqs },
        { category: "durable_fact", salience: 0.65, tags: ["decision"] },
      ),
    ),
    ...decisions(pieces).map((found) => fact(found, { category: "durable_fact", salience: 0.62, tags: ["decision"] })),
    ...healed(commands, known).map(({ text, ended, seqs }) =>
      fact({ text: `${ended}: ${text}`, seqs }, { category: "durable_fact", salience: 0.61 }),
    ),
    ...changed
      .slice(0, EACH.files)
      .map((file) =>
        fact({ text: `${deedOf(file)} ${file.path}`, seqs: file.seqs }, { category: "durable_fact", salience: 0.6 }),
      ),
    ...artifactsIn(pieces).map((found) => fact(found, { category: "important_artifact", salience: 0.5 })),
  ];
}

/** Sentences that say how things are liked, the newest; limits are told apart. */
function preferences(messages: readonly Piece[]): Found[] {
  return messages
    .flatMap(({ text, seq }) => sentencesOf(text).map((sentence) => ({ text: oneLine(sentence.text), seqs: [seq] })))
    .filter(({ text }) => isPreference(text) && !isConstraint(text) && text.length <= DECISION.chars)
    .slice(-EACH.preferences);
}

/** The newest sentence of the agent that settles something. */
function decisions(pieces: readonly Piece[]): Found[] {
  return pieces
    .filter(({ kind }) => kind === "assistant")
    .flatMap(({ text, seq }) => sentencesOf(text).map((sentence) => ({ text: oneLine(sentence.text), seqs: [seq] })))
    .filter(
      ({ text }) =>
        text.length <= DECISION.chars && isDecision(text) && new Set(contentWords(text)).size >= DECISION.words,
    )
    .slice(-EACH.decisions);
}

/** Commands that memory says failed, and that ended well since. */
const healed = (commands: ReturnType<typeof commandsRun>, known: readonly string[]): ReturnType<typeof commandsRun> =>
  commands.filter(
    ({ text, isFailed, ended }) =>
      !isFailed &&
      ended !== "no result" &&
      known.some((one) => /^(?:exit -?[1-9]\d*|failed): /.test(one) && one.endsWith(`: ${oneLine(text)}`)),
  );

function artifactsIn(pieces: readonly Piece[]): Found[] {
  const artifacts = new Map<string, Found>();
  for (const { artifact, toolName, seq } of pieces)
    if (artifact !== null)
      artifacts.set(artifact, { text: `output of ${toolName ?? "a tool"} in ${artifact}`, seqs: [seq] });
  return [...artifacts.values()].slice(-EACH.artifacts);
}
