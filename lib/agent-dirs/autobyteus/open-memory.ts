// The memory of one agent where its design puts it, for an agent that runs on it.
import { AutobyteusStore, type StoreOptions } from "./store.ts";
import { agentDirectory, memoryBase, type BaseInput } from "./directory-paths.ts";

export type MemoryInput = Partial<BaseInput> & StoreOptions & { readonly agentId: string };

/**
 * Opens `<base>/agents/<agent id>` for writing; the folder is made at the first write. The base is `override`, else
 * `AUTOBYTEUS_MEMORY_DIR` of `env` (this process's), else `fallback`, else `memory` in `cwd` (this process's).
 */
export const openMemory = (input: MemoryInput): AutobyteusStore => {
  const base = memoryBase({ env: process.env, ...input, cwd: input.cwd ?? process.cwd() });
  return new AutobyteusStore(agentDirectory(base, input.agentId), input);
};
