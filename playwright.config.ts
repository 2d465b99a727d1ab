import { defineConfig } from "@playwright/test";

// Every test file starts servers of its own on free ports, with its own archive and sources (e2e/test-server.ts).
// Chromium takes the last list of features to leave out that it is given: Playwright's own, and the two pages that a whole Chromium
// loads with each window for an address bar that no test sees (0.8 s of processor time for each test).
const FEATURES_OUT = [
  "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
  "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch",
  "WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results",
  fullyParallel: false,
  workers: 2,
  timeout: 60_000,
  // A busy machine may make one page late; what fails twice is broken. `npm test` says how many needed a second try.
  retries: 1,
  expect: { timeout: 15_000 },
  forbidOnly: Boolean(process.env["CI"]),
  reporter: "list",
  use: {
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      ...(process.env["CHROMIUM_PATH"] ? { executablePath: process.env["CHROMIUM_PATH"] } : {}),
      chromiumSandbox: false,
      args: [`--disable-features=${FEATURES_OUT.join(",")}`],
    },
  },
});
