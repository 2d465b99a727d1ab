// Which sessions a sum over all calls leaves out or marks, without reading the rows of all: both indexes hold those few alone.
// A damaged tally is among the lost: an index that failed on it would refuse every later write of its session.

export const COUNTED_SESSIONS = `
CREATE INDEX sessions_earlier ON sessions(earlier) WHERE earlier IS NOT NULL;
CREATE INDEX sessions_lost ON sessions(pk) WHERE iif(json_valid(tally), json_extract(tally, '$.lost'), 1) IS NOT NULL;
`;
