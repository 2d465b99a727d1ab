// Words that carry a sentence's content: of four letters and more, not among the commonest of English.

const COMMON = new Set(
  (
    "about above after again also although always among another because been before being below between both cannot could " +
    "does doing done down during each either even every from further given going have having here however into itself just " +
    "like made make makes many might more most much must need needs neither only onto other others ours over same shall " +
    "should since some still such than that their them then there these they this those through thus together under until " +
    "upon used uses using very want was well were what when where whether which while will with within without would your yours"
  ).split(" "),
);

// Bounded: of a run of eight million letters the engine would run out of stack.
const WORD = /\p{L}{4,256}/gu;
// Neither a part of a path or of a name, nor one written with a capital inside.
const PLAIN =
  /(?<![\p{L}\p{N}_/\\@]|[\p{L}\p{N}_][.-])(?:\p{Lu}?\p{Ll}{3,256}|\p{Lu}{4,256})(?![\p{L}\p{N}_/\\@]|[.-][\p{L}\p{N}_])/gu;

/** Content words of a text in lower case, in order, each as often as it stands there. A name counts by its words. */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.matchAll(WORD))
    for (const part of /\p{Ll}\p{Lu}/u.test(run) ? run.split(/(?<=\p{Ll})(?=\p{Lu})/u) : [run]) {
      const word = part.toLowerCase();
      if (word.length >= 4 && !COMMON.has(word)) words.push(word);
    }
  return words;
}

/** Content words that stand alone: what is left of a text when every name is taken out of it. */
export function plainWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.matchAll(PLAIN)) {
    const word = run.toLowerCase();
    if (!COMMON.has(word)) words.push(word);
  }
  return words;
}
