// Agents of our own: on the library in process, or over HTTP on a session that Plimsoll holds. What they are made to do, what a
// process of theirs is given, and what it notes for each request.
import type { RendererId } from "#lib/kernel/context/renderers/renderer-types.ts";
import type { Api, Body, Script } from "./script-types.ts";

/** Memory in process with a folder of files, or a session of a running server. */
export type OwnDoor = "library" | "http";
export type OwnWireId = Exclude<RendererId, "text">;

/** One process of the agent: what a person says, and how the process ends. */
export type OwnTurn = {
  readonly says: string;
  /** Shows a picture with it. */
  readonly image?: true;
  /** Takes the last compaction back first. */
  readonly undoes?: true;
  /** Ends as soon as the model has asked for tools: their calls stay open. */
  readonly leaves?: true;
};

export type OwnScenario = {
  readonly name: string;
  readonly door: OwnDoor;
  readonly as: OwnWireId;
  /** Its list price stands in list-prices.ts. */
  readonly model: string;
  /** Among the few that `npm test` runs. */
  readonly isCore: boolean;
  readonly turns: readonly OwnTurn[];
  readonly script: Script;
  /** Of the prompt, in tokens: above 0.8 of it the next request is compacted. */
  readonly budget: number;
  readonly calls: number;
  readonly compactions: number;
  /** Words of which each must stand in every request from the one that first holds them: no compaction may lose them. */
  readonly keeps: readonly string[];
  readonly sends: readonly string[];
};

export type OwnJob = Pick<OwnScenario, "name" | "door" | "as" | "model" | "turns" | "budget"> & {
  readonly modelUrl: string;
  /** Of the agent alone: memory, artifacts, what it notes. */
  readonly folder: string;
  readonly server: { readonly url: string; readonly token: string };
  readonly image: { readonly mediaType: string; readonly base64: string };
};

/** What an agent noted of a request when it was assembled. */
export type Assembled = {
  readonly turn: number;
  readonly request: Body;
  readonly epoch: number;
  readonly didCompact: boolean;
  /** How the compaction ended that was due. */
  readonly compaction: string | null;
  /** Id of the compaction that was done. */
  readonly compactionId: string | null;
  /** Session over HTTP: the last event of the context. Library: traces of the store, those that were archived too. */
  readonly at: number;
};

/** What a model said, whatever wire it came over. */
export type ModelAnswer = {
  readonly id: string;
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly OwnCall[];
  readonly usage: {
    readonly uncached: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly output: number;
    readonly reasoning: number;
  };
};

export type OwnCall = {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** What the provider wants back with it. */
  readonly native: unknown;
};

export type OwnWire = {
  readonly api: Api;
  readonly path: (model: string) => string;
  /** A request as it is posted: what the renderer made, and what the agent adds. */
  readonly body: (model: string, rendered: Body) => Body;
  /** Keys of a body that the agent added. */
  readonly added: readonly string[];
  readonly read: (answer: Body) => ModelAnswer;
};
