// The eighteenth schema: a print of a session's texts beside its row, so that a check sees texts that are gone or of another session.
// Rows of older nodes have none, and are not compared.
export const FLEET_SCHEMA_18 = `
ALTER TABLE sessions ADD COLUMN texts_print uuid;
`;
