// The memory of one agent where its design puts it, for an agent that runs on it.
import { AutobyteusStore, type StoreOptions } from "./store.ts";
import { agentDirectory, memoryBase, type BaseWish } from "./directory-paths.ts";

export type MemoryWish = BaseWish & StoreOptions & { readonly agentId: string };

/** Opens `<base>/agents/<agent id>` for writing; the folder is made at the first write. */
export const openMemory = (wish: MemoryWish): AutobyteusStore =>
  new AutobyteusStore(agentDirectory(memoryBase(wish), wish.agentId), wish);
