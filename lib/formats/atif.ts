// Trajectories in the Agent Trajectory Interchange Format (ATIF 1.0 to 1.7), which Harbor writes for many agents: one JSON document
// a trajectory, or one a line. docs/formats/atif.md says what is read, and how.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { splitPieces } from "./json-lines.ts";
import { isTrajectory, trajectoriesIn } from "./atif/atif-identity.ts";
import { documentPieces, startAtif, stepNames, type AtifState } from "./atif/trajectory-records.ts";
import { hasWholeLine, headValue } from "./json-parts.ts";
import { joined } from "./placed-drafts.ts";

export const atif: Format<AtifState> = {
  id: "atif",
  label: "ATIF",
  signs: "schema_version ATIF, or an agent and steps with step_id",
  // 4: a result that stands alone in our own export.
  // 5: lines behind a blank first line, and behind one of more than 64 KB.
  // 6: costs that stand as texts.
  // 7: a record without content begins no turn; a line without steps is no session.
  // 8: totals of steps without counts.
  // 9: cache writes for an hour, and searches.
  // 10: audio of version 1.8 is named. 11: also where it has no type.
  version: 11,
  reader: "lines",
  // Rows of a data set are a trajectory a line; Harbor's own files are documents.
  isDocument: ({ head }) => !hasWholeLine(head),
  recordNames: stepNames,
  sources: () => [],
  wants: (path) => /(?:^|[\\/])trajectory(?:\.[\w.-]+)?\.json$/.test(path),
  detect: ({ head }: SourceFile) => trajectoriesIn(headValue(head)).some(isTrajectory),
  start: startAtif,
  parse: (record, state) => joined(pieces(record, state)),
  pieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

function pieces(record: SourceRecord, state: AtifState): Iterable<readonly Draft[]> {
  return splitPieces(record, (one) => documentPieces(one, state));
}
