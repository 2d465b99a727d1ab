// Sessions of Mistral Vibe: a folder for each, in it the messages as the model has them, one a line, and beside them what the session is
// about and what it used. docs/formats/vibe.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { homeFolder } from "./home-folder.ts";
import { isObject } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { vibeDrafts } from "./vibe/vibe-messages.ts";
import { isVibeHead, isVibeMessage, metaPath, resumeVibe, startVibe, type VibeState } from "./vibe/vibe-state.ts";

export const vibe: Format<VibeState> = {
  id: "vibe",
  label: "Mistral Vibe",
  signs: "lines with role and injected, or with role and a message_id",
  version: 1,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const root = env["VIBE_HOME"] || (home ? [home, ".vibe"].join(separator) : null);
    return root === null ? [] : [[root, "logs", "session"].join(separator)];
  },
  wants: (path) => /[\\/][^\\/]+_\d{8}_\d{6}_[^\\/]+[\\/]messages\.jsonl$/.test(path),
  detect: ({ head }) => isVibeHead(head),
  sidecars: (path) => (/[\\/]messages\.jsonl$/.test(path) ? [metaPath(path)] : []),
  ownsSidecars: true,
  cleanup: "unknown",
  start: startVibe,
  resume: resumeVibe,
  parse: (record, state) => draftsOfLine(record, isRecord, (value) => vibeDrafts(value, record, state)),
  identify: ({ id }) => id,
  isNamed: ({ about }) => about !== null,
};

const isRecord = (value: unknown): boolean => isObject(value) && isVibeMessage(value);
