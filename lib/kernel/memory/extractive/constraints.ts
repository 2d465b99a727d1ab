// Sentences by which a person sets a limit: never, always, must, don't, only. A list of words per language, since a limit
// that a summary loses is broken by the agent afterwards. A wrong hit costs a line; a miss costs the limit.

const WORDS: readonly string[] = [
  // English
  "never|always|must|mustn['’]?t|don['’]?t|do not|only|shall not|may not|under no circumstances|forbidden|not allowed|at all costs",
  // German
  "nie|niemals|immer|stets|muss|musst|müssen|müsst|nur|ausschließlich|darf|darfst|dürfen|keinesfalls|auf keinen fall|unbedingt|verboten",
  // French
  "jamais|toujours|doit|dois|doivent|devez|il faut|uniquement|seulement|interdit|ne [\\p{L}'’]+ pas|n['’][\\p{L}]+ pas",
  // Spanish
  "nunca|jamás|siempre|debe|debes|deben|hay que|solo|sólo|solamente|únicamente|prohibido|no (?:uses|toques|borres|cambies|modifiques|hagas)",
  // Portuguese
  "jamais|sempre|deve|devem|tem que|só|somente|apenas|proibido|não (?:use|apague|altere|mude|toque|remova|faça)",
  // Italian
  "mai|sempre|deve|devi|devono|bisogna|solo|soltanto|solamente|vietato",
  // Dutch
  "nooit|altijd|moet|moeten|alleen|slechts|mag niet|verboden",
  // Polish, Czech
  "nigdy|zawsze|musi|musisz|muszą|tylko|wyłącznie|nie wolno|nikdy|vždy|musíš|pouze|jen|nesmí",
  // Swedish, Danish, Norwegian
  "aldrig|aldri|alltid|altid|måste|skal|endast|bara|kun",
  // Turkish, Vietnamese, Indonesian
  "asla|her zaman|daima|sadece|yalnızca|mutlaka|không bao giờ|luôn|phải|chỉ|đừng|jangan|selalu|harus|hanya|tidak boleh",
  // Russian, Ukrainian
  "никогда|всегда|должен|должна|должно|должны|только|нельзя|запрещено|ніколи|завжди|повинен|повинна|повинні|лише|тільки|не можна",
  // Hebrew, Arabic, Hindi
  "אסור|תמיד|חייב|רק|לעולם|أبدا|أبداً|دائما|دائمًا|يجب|فقط|कभी नहीं|हमेशा|केवल|सिर्फ",
];
/** Scripts that put no space between words. */
const UNSPACED =
  "不要|别|別|必须|必須|永远|永遠|从不|從不|总是|總是|绝不|絕不|只能|只用|仅|僅|禁止|不得|不能|务必|務必|千万|不许|不可|" +
  "絶対|決して|必ず|常に|だけ|のみ|しないで|するな|ないでください|てはいけない|절대|항상|반드시|오직|하지 ?마|금지|해야|안 ?된다";

const CONSTRAINT = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${WORDS.join("|")})(?![\\p{L}\\p{N}_])|(?:${UNSPACED})`, "iu");

/** Sets a limit, as far as its words tell. */
export const isConstraint = (sentence: string): boolean => CONSTRAINT.test(sentence);

/** Where the word stands that sets the limit; -1 where none does. */
export const constraintAt = (sentence: string): number => sentence.search(CONSTRAINT);
