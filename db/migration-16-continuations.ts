// Sessions that go on in a file that Plimsoll wrote, at a person's word, beside the agent's own.

export const CONTINUATIONS = `
CREATE TABLE continuations (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- The old session and the new one, by format and native id: either may be imported anew.
  origin TEXT NOT NULL,
  native_id TEXT NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  digest TEXT NOT NULL,
  mode TEXT NOT NULL,
  at_seq INTEGER NOT NULL,
  tokens_now INTEGER NOT NULL,
  tokens_next INTEGER NOT NULL,
  resume TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  taken_back_at INTEGER
);
CREATE INDEX continuations_origin ON continuations(origin);
CREATE INDEX continuations_native ON continuations(native_id);
`;
