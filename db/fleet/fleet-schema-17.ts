// The seventeenth schema: dollars of a finding that are a lower bound, since some calls that its cure changes have no price.
export const FLEET_SCHEMA_17 = `
ALTER TABLE session_findings ADD COLUMN partial boolean NOT NULL DEFAULT false;
`;
