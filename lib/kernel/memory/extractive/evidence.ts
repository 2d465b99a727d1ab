// How much of what an agent needed after a cut is still in the summary that took the place of what came before it. No model
// judges: names that the agent wrote itself after the cut, that stood before it, and that nothing had told it again.
// docs/evidence-metric.md says why it is counted so, and what it does not see.
import { contentWords, plainWords } from "./content-words.ts";
import { entitiesIn } from "./entities.ts";
import { commandKey, commandsOf, errorLinesOf, fileNames, modifiedFiles } from "./evidence-lists.ts";
import { isAgents, type Piece } from "./piece.ts";

/** Characters on each side of a name that are its context. */
export const WINDOW = 200;
/** Content words that a name's surroundings must share with one offset where it stood before. */
const SHARED = 4;
/** Share of a user message's content words that must be there for it to count as kept. */
export const COVERED = 0.6;
/** Offsets of one name that are compared, the last ones: a name in every line costs no more than this. */
const OFFSETS = 200;

/** Shares from 0 to 1; null where there was nothing to keep. */
export type Evidence = {
  /** Names kept, wherever they stand in the summary. */
  readonly entity: number | null;
  /** Names kept among words that they stood among before. */
  readonly contexted: number | null;
  /** Of the names that only outputs had said: those kept. */
  readonly fromOutputs: number | null;
  readonly filesModified: number | null;
  readonly userMessages: number | null;
  readonly commands: number | null;
  readonly errors: number | null;
  /** Names that the agent needed: what the first two are shares of. */
  readonly needed: number;
};

/** What a cut needs kept: made once, asked for many summaries. */
export type EvidenceSought = {
  readonly entities: readonly {
    readonly name: string;
    readonly contexts: readonly ReadonlySet<string>[];
    /** Before the cut no one but a tool, or the client, had said it. */
    readonly isFromOutputs: boolean;
  }[];
  readonly files: readonly string[];
  readonly messages: readonly ReadonlySet<string>[];
  readonly commands: readonly string[];
  readonly errors: readonly string[];
};

export function evidenceOf(before: readonly Piece[], after: readonly Piece[], summary: string): Evidence {
  return evidenceKept(evidenceSought(before, after), summary);
}

export function evidenceSought(before: readonly Piece[], after: readonly Piece[]): EvidenceSought {
  return {
    entities: entitiesSought(before, after),
    files: fileNames(modifiedFiles(before)),
    messages: before
      .filter(({ kind }) => kind === "user")
      .map(({ text }) => new Set(contentWords(text)))
      .filter(({ size }) => size > 0),
    commands: commandsOf(before),
    errors: errorLinesOf(before),
  };
}

export function evidenceKept(sought: EvidenceSought, summary: string): Evidence {
  let [kept, contexted, fromOutputs] = [0, 0, 0];
  for (const { name, contexts, isFromOutputs } of sought.entities) {
    const offsets = offsetsOf(name, summary);
    if (offsets.length === 0) continue;
    kept++;
    if (isFromOutputs) fromOutputs++;
    if (offsets.some((at) => isAmong(wordsAround(summary, at, name), contexts))) contexted++;
  }
  const words = new Set(contentWords(summary));
  const slashed = summary.replaceAll("\\", "/");
  const flat = commandKey(summary, Number.POSITIVE_INFINITY);
  return {
    entity: share(kept, sought.entities.length),
    contexted: share(contexted, sought.entities.length),
    fromOutputs: share(fromOutputs, sought.entities.filter((one) => one.isFromOutputs).length),
    filesModified: shareOf(sought.files, (name) => offsetsOf(name, slashed).length > 0),
    userMessages: shareOf(sought.messages, (message) => message.intersection(words).size >= COVERED * message.size),
    commands: shareOf(sought.commands, (command) => flat.includes(command)),
    errors: shareOf(sought.errors, (line) => flat.includes(line)),
    needed: sought.entities.length,
  };
}

function entitiesSought(before: readonly Piece[], after: readonly Piece[]): EvidenceSought["entities"] {
  const needed = neededAfter(before, after);
  const contexts = new Map<string, Set<string>[]>([...needed].map((name) => [name, []]));
  const text = logText(before);
  for (const { name, at } of entitiesIn(text).toReversed()) {
    const sets = contexts.get(name);
    if (sets !== undefined && sets.length < OFFSETS) sets.push(wordsAround(text, at, name));
  }
  const said = new Set(
    before
      .filter(({ kind }) => kind !== "tool_result" && kind !== "note")
      .flatMap((piece) => entitiesIn(piece.text))
      .map(({ name }) => name),
  );
  return [...contexts].map(([name, sets]) => ({ name, contexts: sets, isFromOutputs: !said.has(name) }));
}

/** The log as the model saw it, one piece under the other. */
export const logText = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("\n");

/** Names that the agent wrote after the cut before anything had told it again, and that stood before the cut. */
function neededAfter(before: readonly Piece[], after: readonly Piece[]): Set<string> {
  const known = new Set(before.flatMap(({ text }) => entitiesIn(text).map(({ name }) => name)));
  const needed = new Set<string>();
  for (const piece of after) {
    if (piece.kind === "summary") continue;
    for (const { name } of entitiesIn(piece.text)) {
      if (!known.has(name)) continue;
      if (isAgents(piece)) needed.add(name);
      // Told again first: from here on no summary has to have kept it.
      else known.delete(name);
    }
  }
  return needed;
}

const EDGE = /[A-Za-z0-9_]/;

/** Where a name stands in a text, whole. */
function offsetsOf(name: string, text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(name); at >= 0 && offsets.length < OFFSETS; at = text.indexOf(name, at + 1)) {
    const isWhole = !EDGE.test(text[at - 1] ?? " ") && !EDGE.test(text[at + name.length] ?? " ");
    if (isWhole) offsets.push(at);
  }
  return offsets;
}

function wordsAround(text: string, at: number, name: string): Set<string> {
  const around = `${text.slice(Math.max(0, at - WINDOW), at)} ${text.slice(at + name.length, at + name.length + WINDOW)}`;
  return new Set(plainWords(around));
}

const isAmong = (words: ReadonlySet<string>, contexts: readonly ReadonlySet<string>[]): boolean =>
  words.size >= SHARED && contexts.some((context) => words.intersection(context).size >= SHARED);

const share = (kept: number, all: number): number | null => (all === 0 ? null : kept / all);
const shareOf = <T>(all: readonly T[], isKept: (one: T) => boolean): number | null =>
  share(all.filter(isKept).length, all.length);
