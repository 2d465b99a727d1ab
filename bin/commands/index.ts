// The commands in their groups, in the order of the help. Each file is loaded when its command runs: the help alone must
// not load the archive. Being listed is being tested.
import { ARCHIVE_COMMANDS } from "./archive-group.ts";
import type { Command } from "./args.ts";
import { FLEET_COMMANDS } from "./fleet-group.ts";
import { ARTIFACT_COMMANDS } from "./artifacts-group.ts";
import { MEMORY_COMMANDS } from "./memory-group.ts";
import { SESSION_COMMANDS } from "./sessions-group.ts";

export const COMMAND_GROUPS: readonly { readonly title: string; readonly commands: readonly Command[] }[] = [
  { title: "Sessions", commands: SESSION_COMMANDS },
  { title: "Context and memory", commands: MEMORY_COMMANDS },
  { title: "Artifacts", commands: ARTIFACT_COMMANDS },
  { title: "Archive", commands: ARCHIVE_COMMANDS },
  { title: "Fleet", commands: FLEET_COMMANDS },
];

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
