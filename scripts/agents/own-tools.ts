// Tools of our own agents, in both doors the same.
import { linesText } from "./known-outputs.ts";

export const NOTES = "alpha one\nbeta two\ngamma three\n";

/** `read_file` and `artifact_read` read an output back that was offloaded: the library has the one, the server the other. */
export const OWN_TOOLS = ["notes", "lines", "dial", "read_file", "artifact_read"] as const;

/** What they return; `dial` fails. */
export const ownTools = [
  { name: "notes", execute: (): string => NOTES },
  { name: "lines", execute: (input: unknown): string => linesText((input as { count: number }).count) },
  {
    name: "dial",
    execute(): never {
      throw new Error("connection refused by pier 7");
    },
  },
];
