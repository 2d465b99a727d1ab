// The names under which an artifact can be stored and read back: ours, and those of the designs that we follow.
// Their outputs are never offloaded: a reading that comes back as a pointer would have to be read again.

/** What reads an artifact back. With none of these a pointer leads nowhere. `read_file` is not here: many agents have a
 *  tool of that name which reads their own files. */
export const READ_TOOLS = ["artifact_read", "artifact_grep", "artifact_jq", "getArtifact"] as const;

export const ARTIFACT_TOOLS: ReadonlySet<string> = new Set([
  ...READ_TOOLS,
  "artifact_store",
  "artifact_list",
  "storeArtifact",
  "listArtifacts",
  "read_file",
]);
