// Finds a Chromium for the browser tests and screenshots, or installs one. Order: what the environment names,
// what is installed, what Playwright has, what Playwright can fetch, what the system's packages hold.
// Where no window is shown, a headless shell comes first: the same engine without the browser around it. A test that opens one
// page takes 0.6 s of processor time with it and 0.9 s with a whole Chromium.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { Problem, root, run } from "./run.mjs";

const SHELLS = ["chromium-headless-shell", "chrome-headless-shell"];

/** Path of a Chromium; of a headless shell, if one is here and no window is needed. */
export async function ensureBrowser(node, { isHeadless = false } = {}) {
  const found = findBrowser(process.env, { isHeadless });
  if (found) return found;
  const own = await playwrightBrowser(node);
  if (own) return own;
  console.error("Installing a browser for the tests, once …");
  const playwright = join(root, "node_modules", "playwright-core", "cli.js");
  await run(node, [playwright, "install", "--no-shell", "chromium"], { quiet: true });
  const fetched = await playwrightBrowser(node);
  if (fetched) return fetched;
  await installWithApt();
  const installed = findBrowser(process.env, { isHeadless });
  if (installed) return installed;
  throw new Problem(
    "No Chromium is here and none could be installed. Install Chrome or Chromium, or name one: CHROMIUM_PATH=/path/to/chrome npm test.",
  );
}

/** A Chromium that is on this machine; null when none is. */
export function findBrowser(env, { isHeadless = false } = {}) {
  const named = env.CHROMIUM_PATH || env.CHROME_PATH;
  if (named) {
    if (existsSync(named)) return named;
    throw new Problem(`CHROMIUM_PATH names ${named}, and there is no such file.`);
  }
  const shells = isHeadless ? onPath(env, SHELLS) : [];
  return [...shells, ...candidates(env)].find((path) => existsSync(path)) ?? null;
}

const onPath = (env, names) =>
  (env.PATH ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));

function candidates(env) {
  if (process.platform === "darwin") {
    const apps = ["Google Chrome", "Chromium", "Microsoft Edge"].map((app) =>
      join(`${app}.app`, "Contents", "MacOS", app),
    );
    return ["/Applications", join(homedir(), "Applications")].flatMap((folder) => apps.map((app) => join(folder, app)));
  }
  if (process.platform === "win32") {
    const programs = [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA].filter(Boolean);
    const files = ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"];
    return programs.flatMap((folder) => files.map((file) => join(folder, file)));
  }
  return onPath(env, ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge"]);
}

async function playwrightBrowser(node) {
  let path = "";
  const ask = 'process.stdout.write(require("playwright-core").chromium.executablePath())';
  await run(node, ["-e", ask], { quiet: true, onOutput: (text) => (path = text.trim()) });
  return path !== "" && existsSync(path) ? path : null;
}

async function installWithApt() {
  if (process.platform !== "linux" || !existsSync("/usr/bin/apt-get")) return;
  const quiet = { quiet: true, env: { DEBIAN_FRONTEND: "noninteractive" } };
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  for (const words of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const [command, ...args] = [...asRoot, "apt-get", ...words];
    try {
      // A mirror that is out of reach must not hold the tests for its two minutes of retries.
      await run(command, [...args, "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"], quiet);
    } catch {
      // No sudo here: the caller says what to do.
      return;
    }
  }
}
