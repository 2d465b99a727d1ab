// Sentences of a text, and what in plain English marks one as a request that goes on to hold, or as a decision.

export type Sentence = { readonly at: number; readonly text: string };

// Scripts without spaces end a sentence with a mark of their own.
const END = /(?<=[.!?])\s+(?=\S)|(?<=[。！？।])\s*(?=\S)|\s*\n\s*/g;

/** Sentences and lines in order, empty ones left out. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let from = 0;
  const add = (to: number): void => {
    const one = text.slice(from, to);
    if (one.trim() !== "") sentences.push({ at: from, text: one });
  };
  for (const { index, 0: gap } of text.matchAll(END)) {
    add(index);
    from = index + gap.length;
  }
  add(text.length);
  return sentences;
}

const REQUEST =
  /\b(?:must|mustn't|never|always|only|don't|do not|shouldn't|should|avoid|ensure|make sure|prefer|instead of|rather than|without|require[sd]?|not allowed|no longer|keep|leave|use|remember)\b/i;
const PREFERENCE =
  /\b(?:prefer|i(?:'d| would) (?:like|rather)|i (?:like|want|dislike|hate)|instead of|rather than|avoid|make sure|ensure|from now on|in future|remember|as usual|no longer|keep|should|style|convention)\b/i;
const DECISION =
  /\b(?:decid\w+|chose|choose|chosen|because|instead of|rather than|so that|root cause|turns out|the (?:issue|problem|bug|cause|fix|reason) (?:is|was)|must|never|cannot|won't|will not|should(?:n't| not)|agreed|conclu\w+|trade-?off|assum\w+|therefore|keep\w*|approach|verified|confirmed)\b/i;

/** Says how things are to be done, as far as its words tell. */
export const isRequest = (sentence: string): boolean => REQUEST.test(sentence);
/** Says how things are liked: what holds on, not what is to be done now. */
export const isPreference = (sentence: string): boolean => PREFERENCE.test(sentence);
/** Says what was settled, or why. */
export const isDecision = (sentence: string): boolean => DECISION.test(sentence);
