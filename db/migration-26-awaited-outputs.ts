// Results of running sessions whose whole output was not in its file yet when their record was read, or had just come there:
// it is looked for again. `stored_path`: as the record says it. `since`: when the record was read (milliseconds).

export const AWAITED_OUTPUTS = `
CREATE TABLE awaited_outputs (
  source_pk INTEGER NOT NULL REFERENCES sources(pk) ON DELETE CASCADE,
  stored_path TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (source_pk, stored_path)
) STRICT, WITHOUT ROWID;
`;
