import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { WASM_FLAG } from "./scripts/node.mjs";

// Rooms of functions alone, which leave nothing behind: their files share a process. One of its own for each of 149 files is a third of
// their processor time. A file here that fails together with others alone has found a state that outlives its owner.
const PURE = ["lib/kernel/**/*.test.ts", "lib/formats/**/*.test.ts", "components/**/*.test.ts"];

// Rooms whose tests have a folder and an archive each, and put back what they change of the process. Reading the modules again for each of
// 102 files took 75 s of processor time, a fifth of their tests. A room that mocks a module stays out.
const ROOMS = ["base", "settings", "artifacts", "load", "sessions", "playground", "memory", "upkeep"];
const SHARED = ["bin/**/*.test.ts", "lib/http/**/*.test.ts", `lib/archive/{${ROOMS.join(",")}}/**/*.test.ts`];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false } },
      { extends: true, test: { name: "with an archive", include: SHARED, isolate: false } },
      {
        extends: true,
        test: {
          name: "with a disk",
          include: ["lib/**/*.test.ts", "db/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: [...PURE, ...SHARED],
        },
      },
    ],
    // Each statement that a test prepares is compared with the type that it is read as.
    setupFiles: ["db/testing-statements.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    pool: "forks",
    execArgv: [WASM_FLAG],
    // Vitest leaves one processor to itself, which of two is half: its own part is a tenth of the time.
    maxWorkers: availableParallelism(),
    // Tests that start the command line start its bundle: 0.2 s of processor time and not 1.4.
    globalSetup: "scripts/test-setup.mjs",
    // What a test prints is shown when it fails; `--silent=false` shows the figures that some print.
    silent: "passed-only",
  },
});
