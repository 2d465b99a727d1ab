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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // What a test prints is shown when it fails; `--silent=false` shows the figures that some print.
    silent: "passed-only",
  },
});
