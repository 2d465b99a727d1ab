// Who may come into a fleet and what they did, what was deleted, and how long projects keep what they have. Secrets of tokens,
// links and cookies are here as their sha-256 alone.
export const FLEET_SCHEMA_3 = `
CREATE TABLE fleet_tokens (
  hash text PRIMARY KEY,
  id text NOT NULL UNIQUE,
  name text NOT NULL,
  project text,
  scope text NOT NULL CHECK (scope IN ('send', 'read', 'write', 'admin')),
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  used_at timestamptz
);
CREATE TABLE people (
  email text PRIMARY KEY,
  name text NOT NULL DEFAULT '',
  is_admin boolean NOT NULL DEFAULT false,
  is_admin_claimed boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz
);
CREATE TABLE person_roles (
  project text NOT NULL,
  email text NOT NULL REFERENCES people ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('reader', 'writer', 'admin')),
  is_claimed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (project, email)
);
CREATE INDEX person_roles_email ON person_roles (email);
CREATE TABLE sign_in_links (
  hash text PRIMARY KEY,
  email text NOT NULL REFERENCES people ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE TABLE sign_ins (
  hash text PRIMARY KEY,
  email text NOT NULL REFERENCES people ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE TABLE sign_in_attempts (
  hash text PRIMARY KEY,
  state text NOT NULL,
  nonce text NOT NULL,
  verifier text NOT NULL,
  location text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE TABLE audit (
  project text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  who text NOT NULL,
  action text NOT NULL,
  session text,
  address text NOT NULL,
  detail text NOT NULL DEFAULT '',
  PRIMARY KEY (project, at, id)
);
CREATE INDEX audit_at ON audit (at);
CREATE TABLE session_projects (
  session text PRIMARY KEY,
  project text NOT NULL
);
INSERT INTO session_projects SELECT id, min(project) FROM sessions GROUP BY id;
CREATE TABLE deleted_families (
  project text NOT NULL,
  family text NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  deleted_by text NOT NULL,
  reason text NOT NULL,
  bytes bigint NOT NULL,
  body jsonb,
  PRIMARY KEY (project, family)
);
CREATE INDEX deleted_families_due ON deleted_families (deleted_at) WHERE body IS NOT NULL;
CREATE TABLE deleted_sessions (
  project text NOT NULL,
  session text NOT NULL,
  family text NOT NULL,
  PRIMARY KEY (project, session)
);
CREATE TABLE project_retention (
  project text PRIMARY KEY,
  days integer,
  bytes bigint
);
CREATE INDEX sessions_native ON sessions (native_id);
CREATE INDEX families_received ON families (project, received_at);
`;
