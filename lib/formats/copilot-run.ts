// What `copilot -p --output-format json` prints, saved to a file: the events of a session, and pieces of them that its own file never has.
// The session's own file is read where it is here. docs/formats/copilot.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { copilot } from "./copilot.ts";
import { isCopilotRun, startedId, type CopilotState } from "./copilot/copilot-state.ts";

export const copilotRun: Format<CopilotState> = {
  id: "copilot-run",
  label: "Copilot run",
  signs: "events with data, id and parentId, some of them ephemeral",
  version: 1,
  reader: "lines",
  secondHand: "stream",
  sources: () => [],
  wants: () => false,
  detect: ({ head }) => isCopilotRun(head),
  // Its last line names the session.
  start: (file) => ({ ...copilot.start(file), id: startedId(file.head) }),
  parse: (record, state) => copilot.parse(record, state),
  identify: ({ id }) => id,
  owner: () => "copilot",
};
