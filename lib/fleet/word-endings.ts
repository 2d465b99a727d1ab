// Endings that the database's stems lack, so that words that begin so are asked for by stems shorter than their beginning:
// "generali" begins "generalize", whose stem is "general".

const ENDINGS = [
  "al ally able ably ability ance ances ate ates ated ating ation ations ational",
  "ative ator ators ed ence ences er ers es ful fully ible ibly ibility ied ies",
  "ing ings ion ions ism ist ists ity ities ive ives",
  "ize izes ized izing izer izers ization izations less ly ment ments ness ous ously",
].flatMap((some) => some.split(" "));

/** Letters that stand before an ending at least. */
const SHORTEST = 3;

/** Words that a beginning may go on to, where it stops within an ending. */
export function endedWords(beginning: string): readonly string[] {
  if (!/^[a-z]+$/.test(beginning)) return [];
  return ENDINGS.flatMap((ending) => {
    const most = Math.min(ending.length - 1, beginning.length - SHORTEST);
    const rests = Array.from({ length: Math.max(0, most) }, (_, n) => n + 1).flatMap((begun) =>
      beginning.endsWith(ending.slice(0, begun)) ? [ending.slice(begun)] : [],
    );
    return rests.map((rest) => `${beginning}${rest}`);
  });
}
