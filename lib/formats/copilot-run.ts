// What `copilot -p --output-format json` prints, saved to a file: the events of a session, and pieces of them that its own file never has.
// The session's own file is read where it is here. docs/formats/copilot.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { copilot } from "./copilot.ts";
import { isCopilotRun, startedId, type CopilotState } from "./copilot/copilot-state.ts";

/** `file`: the name until the last line is here. */
type RunState = CopilotState & { readonly file: string | null; isRead?: true };

export const copilotRun: Format<RunState> = {
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
  start(file) {
    const state = copilot.start(file);
    return { ...state, id: startedId(file.head), file: state.id };
  },
  parse(record, state) {
    state.isRead = true;
    return copilot.parse(record, state);
  },
  identify: ({ id, file, isRead }) => id ?? (isRead === true ? file : null),
  owner: () => "copilot",
};
