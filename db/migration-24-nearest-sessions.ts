// What a hidden prefix may hold is inferred from the nearest session of the same agent: it is found without a look at all others. The
// expressions are those of lib/archive/load/infer-prefix.ts.

export const NEAREST_SESSIONS = `
CREATE INDEX sessions_nearest ON sessions(
  format, relation = 'subagent', coalesce(agent_name, ''), agent_version, coalesce(model, ''), coalesce(started_at, 0) DESC
) WHERE earlier IS NULL AND calls > 0;
`;
