// Columns that name another row: each lookup, and each deletion of the row that is named, read the whole table. With 10,000 sessions
// a list on the command line took 30 s, two thirds of it for the older copies of each file.

export const NAMES_OF_OTHERS = `
CREATE INDEX sources_older ON sources(older_of) WHERE older_of IS NOT NULL;
CREATE INDEX lineage_other ON lineage(other_pk);
CREATE INDEX memory_changes_session ON memory_changes(session_pk);
CREATE INDEX episodic_items_compaction ON episodic_items(compaction_pk) WHERE compaction_pk IS NOT NULL;
CREATE INDEX semantic_items_compaction ON semantic_items(compaction_pk) WHERE compaction_pk IS NOT NULL;
CREATE INDEX snapshots_compaction ON snapshots(compaction_pk) WHERE compaction_pk IS NOT NULL;
`;
