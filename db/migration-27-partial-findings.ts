// Dollars of a finding that are a lower bound: some calls that its cure changes have no price.

export const PARTIAL_FINDINGS = `
ALTER TABLE session_findings ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;
`;
