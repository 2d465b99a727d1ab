// What the published package exports: the name that a program imports, and the source behind it. A source is called
// `<name>-entry.ts`, so that knip takes it for one. An SDK that an entry is for stays outside the bundle: it is the user's.

/** Name of the export → source. */
export const ENTRIES = {
  ".": "lib/client/index.ts",
  "./ai": "lib/client/ai-entry.ts",
  "./anthropic": "lib/client/anthropic-entry.ts",
  "./artifacts": "lib/client/artifacts-entry.ts",
  "./langchain": "lib/client/langchain-entry.ts",
  "./memory": "lib/client/memory-entry.ts",
  "./openai": "lib/client/openai-entry.ts",
};

/**
 * SDKs that entries are for, with the major versions that the tests run with: optional peer dependencies, which the user
 * brings. Their code stays outside the bundle.
 */
export const PEERS = {
  "@anthropic-ai/sdk": "^1.12.0",
  "@openai/agents": ">=0.20.0 <1",
  ai: "^7.0.0",
  openai: "^7.57.0",
};
