/** Tools that an index may name: kind and tool are counted as one number. */
export const TOOLS = 1_000_000;
