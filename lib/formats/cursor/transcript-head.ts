/** Plain text: it begins with a line that says who speaks. */
export const isTextTranscript = (head: Uint8Array): boolean =>
  /^\s*(?:user|assistant):[ \t]*\r?\n/.test(new TextDecoder().decode(head.subarray(0, 200)));
