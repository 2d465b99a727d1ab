/** For a shell: single quotes hold everything but themselves; plain words need none. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_.,:@%+=/][A-Za-z0-9_.,:@%+=/-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
