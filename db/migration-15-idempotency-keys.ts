// Answers to writes that were sent with an Idempotency-Key, so that one that is sent again is not carried out again.

export const IDEMPOTENCY_KEYS = `
CREATE TABLE idempotency_keys (
  pk INTEGER PRIMARY KEY,
  principal TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Of method, address and body.
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  -- JSON; null where it was too long or secret, or its content was deleted since.
  answer TEXT,
  at INTEGER NOT NULL
);
CREATE UNIQUE INDEX idempotency_keys_key ON idempotency_keys(principal, key);
CREATE INDEX idempotency_keys_at ON idempotency_keys(at);
CREATE INDEX idempotency_keys_answers ON idempotency_keys(pk) WHERE answer IS NOT NULL;
`;
