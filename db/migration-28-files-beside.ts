// How the files beside a source were when it was read from its beginning, as JSON: {path: [bytes, milliseconds]}. They are written anew while it
// stays as it is. Null: it has none, or was read before this was noted.

export const FILES_BESIDE = `
ALTER TABLE sources ADD COLUMN beside TEXT;
`;
