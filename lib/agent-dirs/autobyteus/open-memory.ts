// The memory of one agent where its design puts it, for an agent that runs on it.
import { AutobyteusStore, type StoreOptions } from "./store.ts";
import { agentDirectory, memoryBase, type BaseInput } from "./directory-paths.ts";

export type MemoryInput = BaseInput & StoreOptions & { readonly agentId: string };

/** Opens `<base>/agents/<agent id>` for writing; the folder is made at the first write. */
export const openMemory = (input: MemoryInput): AutobyteusStore =>
  new AutobyteusStore(agentDirectory(memoryBase(input), input.agentId), input);
