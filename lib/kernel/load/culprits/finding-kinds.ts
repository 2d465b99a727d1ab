// What a finding across sessions can be about. Of its own, for pages list the kinds and need no detector.
export const FINDING_KINDS = ["tool", "mcp-server", "prefix", "cache", "compaction", "reasoning"] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];
