// The twelfth schema: webhooks, their queue, and what was said of budgets. A warning is a row before it is sent: whichever node makes
// the row, one of them sends it, and one that begins anew goes on with it.
export const FLEET_SCHEMA_12 = `
CREATE TABLE webhooks (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  url text NOT NULL,
  secret text NOT NULL,
  -- A list, as JSON.
  kinds text NOT NULL,
  titles boolean NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  -- Milliseconds since 1970, as in the table below.
  created_at bigint NOT NULL,
  -- Whoever sends to it now, and until when nobody else does.
  busy_by text,
  busy_until timestamptz
);
CREATE TABLE webhook_deliveries (
  webhook text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  message text NOT NULL,
  type text NOT NULL,
  session text,
  payload text NOT NULL,
  state text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  status integer,
  error text,
  next_at bigint NOT NULL,
  created_at bigint NOT NULL,
  sent_at bigint,
  PRIMARY KEY (webhook, message)
);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook, next_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook, created_at DESC);
CREATE TABLE budget_notices (
  project text NOT NULL,
  period text NOT NULL,
  -- Another limit is another budget.
  limit_usd double precision NOT NULL,
  -- The first day; empty for a total.
  since text NOT NULL,
  said integer NOT NULL,
  PRIMARY KEY (project, period, limit_usd)
);
`;
