// A scenario: an agent with its configuration, what is typed to it, and what the scripted model answers.
import type { AgentId } from "./agent-packages.ts";
import type { Script } from "./script-types.ts";
import type { Keystrokes } from "./type-keys.ts";

export type RunPaths = {
  readonly home: string;
  /** The folder that the agent works in; holds `notes.txt` and `dot.png`. */
  readonly project: string;
  /** Ids of sessions, for agents that are told theirs. */
  readonly sessions: readonly [string, string];
  /** Runs one of our own programs: the MCP server, the hook. */
  readonly node: string;
  readonly ownFile: (name: string) => string;
  /** The server that the run is compared with, as an agent reaches it, and a token that sends telemetry. */
  readonly receiver: Receiver;
};

export type Receiver = {
  readonly url: string;
  readonly token: string;
  /** Its archive: for our own commands. */
  readonly archive: string;
};

export type AgentCommand = {
  /** Another program than the agent: one of ours. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly interruptAt?: number;
  readonly killAt?: number;
  readonly keystrokes?: readonly Keystrokes[];
  /** The last that it prints: where it does not end by itself after that, it is ended. */
  readonly lastWords?: string;
};

export type Scenario = {
  readonly name: string;
  readonly agent: AgentId;
  /** Its requests pass the capture proxy: `plimsoll run`. */
  readonly isCaptured?: true;
  /** `plimsoll carry-on` writes a file that it resumes: what it sends then must be what the dry run showed. */
  readonly isCarriedOn?: true;
  /** It sends telemetry: what it reports must be what was charged. */
  readonly isReported?: true;
  /** Its commands have keystrokes. */
  readonly needsTerminal?: boolean;
  /** Among the few that `npm test` runs. */
  readonly isCore?: boolean;
  readonly commands: (paths: RunPaths) => readonly AgentCommand[];
  readonly script: (paths: RunPaths) => Script;
  /** Files that are there before it starts, by path below the home. */
  readonly files?: (paths: RunPaths) => Readonly<Record<string, string>>;
  /** Model calls that must have been made at least; fewer means that the script did not run as it was meant. */
  readonly calls: number;
  /** Words of which each must have been sent to the model. */
  readonly sends?: readonly string[];
  /** Words of which none may be sent. */
  readonly withholds?: readonly string[];
  /** Files as they must be afterwards, by path below the home; null for one that must not be there. */
  readonly leaves?: (paths: RunPaths) => Readonly<Record<string, string | null>>;
  /** Words that the context of the last call must have, and those that it must not have. */
  readonly context?: { readonly has: readonly string[]; readonly lacks?: readonly string[] };
};
