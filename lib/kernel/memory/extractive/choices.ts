// Choices between approaches: what was chosen, and what was given up. Told in one sentence ("a queue instead of polling"), or as
// options that were listed and a later word that takes one of them ("let's go with option B").
import { contentWords } from "./content-words.ts";
import { clipped, oneLine, withoutMark } from "./line-text.ts";
import type { Piece } from "./piece.ts";
import { sentencesOf } from "./sentences.ts";

export type Choice = {
  readonly chosen: string;
  readonly givenUp: readonly string[];
  /** Where it was taken, and where the options were listed. */
  readonly seqs: readonly number[];
};

const CHARS = 160;
/** What stands for an approach in a sentence: up to the next stop. */
const THING = "([^,.;:!?()\\n]{2,120}?)";
const END = "(?=[,.;:!?()\\n]|\\s(?:because|since|as|so|and|but|for|when|while)\\s|$)";
const TAKES =
  "(?:decid\\w+ (?:on|for|to (?:use|take|go with))|chose|choose|chosen|pick(?:ed)?|go(?:ing)? with|went with|settl\\w+ (?:on|for)|opt(?:ed|ing)? for|stick(?:ing)? with|stay(?:ing)? with|us(?:e|ing)|tak(?:e|ing)|prefer(?:red)?|keep(?:ing)?)";

/** Sentences that name both: which group is chosen, which given up. */
const BOTH: readonly { readonly pattern: RegExp; readonly chosen: number; readonly givenUp: number }[] = [
  {
    pattern: new RegExp(
      `\\b${TAKES}\\s+${THING},?\\s+(?:instead of|rather than|over|and not|not)\\s+${THING}${END}`,
      "i",
    ),
    chosen: 1,
    givenUp: 2,
  },
  {
    pattern: new RegExp(
      `\\b(?:instead of|rather than)\\s+${THING},\\s+(?:[\\w']+\\s+){0,3}?${TAKES}\\s+${THING}${END}`,
      "i",
    ),
    chosen: 2,
    givenUp: 1,
  },
  {
    pattern: new RegExp(`\\bswitch(?:ed|ing)?\\s+from\\s+${THING}\\s+to\\s+${THING}${END}`, "i"),
    chosen: 2,
    givenUp: 1,
  },
  {
    pattern: new RegExp(`\\breplac(?:ed?|ing)\\s+${THING}\\s+(?:with|by)\\s+${THING}${END}`, "i"),
    chosen: 2,
    givenUp: 1,
  },
  {
    pattern: new RegExp(
      `\\b(?:drop(?:ped|ping)?|abandon(?:ed|ing)?|g[ai]ve up(?: on)?|reject(?:ed|ing)?|rul(?:ed|ing) out|discard(?:ed|ing)?)\\s+${THING}\\s+in favou?r of\\s+${THING}${END}`,
      "i",
    ),
    chosen: 2,
    givenUp: 1,
  },
];

type Option = { readonly label: string; readonly text: string };
type Listed = { readonly options: readonly Option[]; readonly seq: number; readonly at: number };

/** Messages after a list in which a word may take one of its options. */
const WITHIN = 12;
const LIST_LINE =
  /^\s*(?:[-*]\s+)?(?:\*\*|__)?(?:(?:option|approach|alternative|variant|way|plan|solution)\s+)?([A-Da-d]|[1-9])(?:\*\*|__)?\s*[.):–-]\s*(?:\*\*|__)?\s*(\S.{2,400})$/i;
const INLINE =
  /\b(?:two|2|three|3)\s+(?:options|approaches|ways|alternatives|possibilities|designs|variants)\b[^:.\n]{0,60}[:,]\s*([^\n]{5,400})/i;
const EITHER = /\beither\s+([^,.;\n]{3,120}?),?\s+or\s+([^,.;\n]{3,120}?)(?=[,.;?\n]|$)/i;

/** Choices in the order of the log, the same one once, by its last position. */
export function choicesIn(pieces: readonly Piece[]): Choice[] {
  const choices = new Map<string, Choice>();
  const add = (choice: Choice): void => {
    const key = [choice.chosen, ...choice.givenUp]
      .map((one) => one.toLowerCase())
      .toSorted()
      .join("\n");
    choices.delete(key);
    choices.set(key, choice);
  };
  let listed: Listed | null = null;
  let said = 0;
  for (const { kind, text, seq } of pieces) {
    if (kind !== "user" && kind !== "assistant" && kind !== "reasoning") continue;
    said++;
    if (listed !== null && said - listed.at <= WITHIN) {
      const taken = takenFrom(listed, text, kind === "user");
      if (taken !== null) {
        add({ ...taken, seqs: [...new Set([listed.seq, seq])] });
        listed = null;
      }
    }
    for (const sentence of sentencesOf(text)) {
      const both = bothIn(sentence.text);
      if (both !== null) add({ ...both, seqs: [seq] });
    }
    const options = optionsIn(text);
    if (options.length >= 2) {
      listed = { options, seq, at: said };
      // "… I'll go with the second": in the words that list them.
      const taken = takenFrom(listed, text, false);
      if (taken !== null) add({ ...taken, seqs: [seq] });
      if (taken !== null) listed = null;
    }
  }
  return [...choices.values()];
}

const plain = (text: string): string =>
  clipped(
    oneLine(withoutMark(text))
      .replace(/\*\*|__|`/g, "")
      .replace(/^(?:the|a|an)\s+/i, "")
      .replace(/[.,;:\s]+$/, ""),
    CHARS,
  );

function bothIn(sentence: string): Pick<Choice, "chosen" | "givenUp"> | null {
  if (sentence.length > 600) return null;
  for (const { pattern, chosen, givenUp } of BOTH) {
    const found = pattern.exec(sentence);
    if (found === null) continue;
    const [yes, no] = [plain(found[chosen]!), plain(found[givenUp]!)];
    if (yes.length > 1 && no.length > 1 && yes.toLowerCase() !== no.toLowerCase())
      return { chosen: yes, givenUp: [no] };
  }
  return null;
}

function optionsIn(text: string): Option[] {
  const options: Option[] = [];
  for (const line of text.split("\n")) {
    const found = LIST_LINE.exec(line);
    if (found === null) continue;
    const label = found[1]!.toUpperCase();
    // A list begins anew: the last one counts.
    if (label === "A" || label === "1") options.length = 0;
    options.push({ label, text: plain(sentencesOf(found[2]!)[0]!.text) });
  }
  // A numbered list is one of steps unless something says that one of them is taken.
  if (options.length >= 2 && options.length <= 6 && CHOICE_OF.test(text)) return options;
  const inline = INLINE.exec(text)?.[1];
  const either = EITHER.exec(text);
  const parts =
    inline !== undefined
      ? sentencesOf(inline)[0]!.text.split(
          /\s*(?:;|,?\s+(?:or|and)\s+(?=(?:an?|the|to|us\w+|\(?[b-d2-4]\)?)\s)|\(?[b-d2-4][).]\s)\s*/i,
        )
      : either !== null
        ? [either[1]!, either[2]!]
        : [];
  return parts
    .map((part) => plain(part.replace(/^\(?[a-d1-4][).]\s*/i, "")))
    .filter((part) => part.length > 2)
    .slice(0, 6)
    .map((part, i) => ({ label: String.fromCodePoint(65 + i), text: part }));
}

const CHOICE_OF =
  /\b(?:options?|approach(?:es)?|alternatives?|variants?|ways to|either|which (?:one|of)|two designs|possibilit(?:y|ies))\b/i;
const NAMES_ONE = new RegExp(
  `(?:\\b${TAKES}|^|\\blet'?s (?:do|try)|\\bimplement(?:ing)?)\\s*(?:the\\s+)?(?:(?:option|approach|alternative|variant|plan|solution|number)\\s+)?\\(?(?<label>[A-D]|[1-6]|first|second|third|fourth|former|latter|last)\\b\\)?(?:\\s+(?:one|option|approach|alternative|variant|please))?\\s*(?=$|[.,;:!\\n]|\\sbecause|\\ssince|\\splease|\\sand|\\sfor)`,
  "i",
);
const WORD_LABELS: Readonly<Record<string, number>> = {
  first: 0,
  former: 0,
  second: 1,
  latter: 1,
  third: 2,
  fourth: 3,
};
const TAKING = new RegExp(`\\b${TAKES}\\b`, "i");

function takenFrom({ options }: Listed, text: string, isPerson: boolean): Pick<Choice, "chosen" | "givenUp"> | null {
  for (const { text: raw } of sentencesOf(text)) {
    const sentence = oneLine(raw);
    if (sentence.length > 400 || LIST_LINE.test(raw) || sentence.endsWith("?")) continue;
    const label = NAMES_ONE.exec(sentence)?.groups?.["label"]?.toLowerCase();
    // Alone on its line a letter takes an option only where the person is asked.
    const isNamed = label !== undefined && (isPerson || TAKING.test(sentence) || /\b(?:implement|let)/i.test(sentence));
    const at = isNamed ? indexOfLabel(options, label) : TAKING.test(sentence) ? indexByWords(options, sentence) : -1;
    if (at < 0) continue;
    return {
      chosen: options[at]!.text,
      givenUp: options.filter((_, i) => i !== at).map((option) => option.text),
    };
  }
  return null;
}

function indexOfLabel(options: readonly Option[], label: string): number {
  if (label === "last") return options.length - 1;
  const named = options.findIndex((option) => option.label.toLowerCase() === label);
  if (named >= 0) return named;
  const index = WORD_LABELS[label] ?? (/^\d$/.test(label) ? Number(label) - 1 : -1);
  return index < options.length ? index : -1;
}

/** The one option whose own words the sentence has: two of them, or most. */
function indexByWords(options: readonly Option[], sentence: string): number {
  const said = new Set(contentWords(sentence));
  const words = options.map(({ text }) => new Set(contentWords(text)));
  const scores = words.map((own, i) => {
    const others = new Set(words.flatMap((other, j) => (j === i ? [] : [...other])));
    const distinct = [...own].filter((word) => !others.has(word));
    const found = distinct.filter((word) => said.has(word)).length;
    return found >= 2 || (found === 1 && distinct.length <= 3) ? found : 0;
  });
  const best = Math.max(...scores);
  return best > 0 && scores.filter((score) => score === best).length === 1 ? scores.indexOf(best) : -1;
}
