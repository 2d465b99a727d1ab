// The id of a tool call. Frameworks that run a tool by hand give none; what its output is named by needs one.
import { randomUUID } from "node:crypto";

export const callIdOf = (given: unknown): string =>
  typeof given === "string" && given !== "" ? given : `call_${randomUUID().slice(0, 8)}`;
