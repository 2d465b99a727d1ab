// Words with an s at their end that one machine's stems take away, and those of PostgreSQL keep: where no vowel comes before it, as in
// "https", but for one right before it, as in "this"; and after a u, as in "gpus". A search asks for both.

/** What also stands for this word, so that it is found as on one machine. */
export function otherForms(word: string): readonly string[] {
  const lower = word.toLowerCase();
  if (!/^[a-z0-9]{2,}$/.test(lower) || lower.endsWith("ss")) return [];
  if (!lower.endsWith("s")) return keepsPlural(`${lower}s`) ? [`${lower}s`] : [];
  return lower.length > 2 && keepsPlural(lower) ? [lower.slice(0, -1)] : [];
}

/** As the Snowball stemmer of English has it. */
const keepsPlural = (word: string): boolean => word.endsWith("us") || !/[aeiouy]/.test(word.slice(0, -2));
