// What the published package exports: the name that a program imports, and the source behind it. A source is called
// `<name>-entry.ts`, so that knip takes it for one. An SDK that an entry is for is an optional
// peer dependency in our package.json, and stays outside the bundle: it is the user's.

/** Name of the export → source. */
export const ENTRIES = {
  ".": "lib/client/index.ts",
  "./ai": "lib/client/ai-entry.ts",
  "./anthropic": "lib/client/anthropic-entry.ts",
  "./artifacts": "lib/client/artifacts-entry.ts",
  "./langchain": "lib/client/langchain-entry.ts",
  "./mastra": "lib/client/mastra-entry.ts",
  "./mcp": "lib/client/mcp-entry.ts",
  "./memory": "lib/client/memory-entry.ts",
  "./openai": "lib/client/openai-entry.ts",
};
