// The thirteenth schema: indexes that have all that a page of the list asks of sessions of one folder or model, where it read some
// thousand rows that lie far apart; and texts of one kind by time. They take the part of two indexes that had the same order alone.
const ASKED =
  "project, format, state, ended_at, name, turns, calls, compactions, artifacts, peak_share, usd, avoidable_usd";

const LISTED = [
  ["folder", "model"],
  ["model", "folder"],
].map(
  ([of, other]) =>
    `CREATE INDEX session_list_${of}_rows ON session_list (${of}, started_at DESC NULLS LAST, id DESC) INCLUDE (${other}, ${ASKED});`,
);

export const FLEET_SCHEMA_13 = `
${LISTED.join("\n")}
CREATE INDEX session_texts_kind ON session_texts (kind, at DESC NULLS LAST);
DROP INDEX session_list_folder_started_at, session_list_model_started_at;
`;
