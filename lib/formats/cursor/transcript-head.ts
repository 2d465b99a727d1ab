/** Plain text: it begins with a line that says who speaks. */
export const isTextTranscript = (head: Uint8Array): boolean =>
  /^\s*(?:user|assistant):[ \t]*\r?\n/.test(new TextDecoder().decode(head.subarray(0, 200)));

/** The text before the first answer. */
export const firstMessage = (head: Uint8Array): string =>
  new TextDecoder()
    .decode(head)
    .split(/^assistant:/m, 1)[0]!
    .trim();
