// What no event says of a prompt: its parts, by the names that charts and tables give them.
export const OVER = "Came in, not in the file";
export const BEYOND = "Charged beyond the text that was sent";
export const UNDER = "Taken out, not in the file";

/** After a compaction the least prefix seen is the system's; what is over it was attached again. */
export function prefixParts(tokens: number, base: number | null, epoch: number): { tokens: number; label: string }[] {
  const system = { tokens: Math.min(tokens, base ?? tokens), label: "System prompt, tools and memory files" };
  if (base === null || epoch === 1 || tokens <= base) return [system];
  return [system, { tokens: tokens - base, label: "Attached again by the agent, not in the file" }];
}
