// The licences of what the package holds of others: every package that the lockfile names for production, bundled or not.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run.mjs";

/** Writes all licences into one file. */
export function writeLicenses(path) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const texts = Object.entries(packages)
    .filter(([folder, { dev, optional }]) => folder !== "" && !dev && !optional && existsSync(join(root, folder)))
    .map(([folder, { version, license = "" }]) => {
      const name = folder.replace(/^.*node_modules\//, "");
      return `${name} ${version}: ${license}\n\n${licenseOf(join(root, folder))}`;
    });
  writeFileSync(path, `${texts.join(`\n${"-".repeat(80)}\n\n`)}`);
}

/** The text of a package's licence; empty where it names one and brings no text. */
function licenseOf(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? "" : readFileSync(join(folder, file), "utf8");
}
