// Conversations of Open Interpreter: one JSON list of messages each, written anew after each answer. docs/formats/open-interpreter.md says
// what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { homeFolder } from "./home-folder.ts";
import { headValue } from "./json-parts.ts";
import {
  interpreterNames,
  interpreterPieces,
  isInterpreterList,
  startInterpreter,
  type InterpreterState,
} from "./open-interpreter/interpreter-messages.ts";
import { joined } from "./placed-drafts.ts";

/** Releases before 0.2.1 have the second. */
const NAMES = ["open-interpreter", "Open Interpreter"];

export const openInterpreter: Format<InterpreterState> = {
  id: "open-interpreter",
  label: "Open Interpreter",
  signs: "a list of messages with role, type and format, code among them",
  version: 1,
  reader: "document",
  recordNames: interpreterNames,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const inHome = (...names: string[]): string | null => (home ? [home, ...names].join(separator) : null);
    const local = env["LOCALAPPDATA"] || inHome("AppData", "Local");
    const config =
      os === "darwin" ? inHome("Library", "Application Support") : env["XDG_CONFIG_HOME"] || inHome(".config");
    // On Windows a program's folder lies in one of its maker, which has the same name here.
    return NAMES.flatMap((name) => {
      const folder =
        os === "win32" ? local && [local, name, name].join(separator) : config && [config, name].join(separator);
      return folder ? [[folder, "conversations"].join(separator)] : [];
    });
  },
  wants: (path) => /[\\/]conversations[\\/][^\\/]*__[A-Z][a-z]+_\d\d_\d{4}_\d\d-\d\d-\d\d\.json$/.test(path),
  detect: ({ head }) => isInterpreterList(headValue(head)),
  start: startInterpreter,
  parse: (record, state) => joined(interpreterPieces(record, state)),
  pieces: interpreterPieces,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};
