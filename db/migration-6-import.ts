// For imports. The search index merges its pieces sixteen at a time, not four: what stands in a piece is written again half
// as often, and a search asks a few pieces more. And a file is compared with those of its own name alone.

export const IMPORT = `
INSERT INTO search (search, rank) VALUES ('automerge', 16);
CREATE INDEX sources_native ON sources(native_id);
`;
