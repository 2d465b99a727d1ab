// The twenty-first schema: what new sessions begin with and the level of warnings, beside windows and prices, for all nodes. They were in
// the archive of each node.
export const FLEET_SCHEMA_21 = `
-- What is set of them, as JSON; what is absent nobody set.
ALTER TABLE model_settings ADD COLUMN defaults text NOT NULL DEFAULT '{}';
`;
