// Webhooks, and their queue and log in one table: a message is queued once, whatever is read again or started again.

export const WEBHOOKS = `
CREATE TABLE webhooks (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  -- JSON: a list of words.
  kinds TEXT NOT NULL,
  titles INTEGER NOT NULL,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE webhook_deliveries (
  pk INTEGER PRIMARY KEY,
  webhook_pk INTEGER NOT NULL REFERENCES webhooks(pk) ON DELETE CASCADE,
  -- The webhook-id: the same for the same happening.
  message TEXT NOT NULL,
  type TEXT NOT NULL,
  session TEXT,
  -- JSON of timestamp and data; the link is added when it is sent.
  payload TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  sent_at INTEGER
);
CREATE UNIQUE INDEX webhook_deliveries_message ON webhook_deliveries(webhook_pk, message);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries(next_at) WHERE state = 'waiting';
CREATE INDEX sessions_ended ON sessions(ended_at);
`;
