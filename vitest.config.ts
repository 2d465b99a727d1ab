import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "lib/**/*.test.ts",
      "db/**/*.test.ts",
      "bin/**/*.test.ts",
      "scripts/**/*.test.ts",
      "components/**/*.test.ts",
    ],
    // Each statement that a test prepares is compared with the type that it is read as.
    setupFiles: ["db/testing-statements.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Vitest leaves one processor to itself, which of two is half: its own part is a tenth of the time.
    maxWorkers: availableParallelism(),
    // Tests that start the command line start its bundle: 0.2 s of processor time and not 1.4.
    globalSetup: "scripts/test-setup.mjs",
    // What a test prints is shown when it fails; `--silent=false` shows the figures that some print.
    silent: "passed-only",
  },
});
