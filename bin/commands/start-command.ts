// `plimsoll start`: the server. The launchers start it in a process of its own, with its flags; this is for a program that
// starts the command line without them.
import type { Run } from "./args.ts";

export const run: Run = async () => {
  // The server reads its own options.
  process.argv.splice(2, 1);
  await import("../serve.ts");
};
