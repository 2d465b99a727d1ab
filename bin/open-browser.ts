// Opens a link in the person's browser; where that fails, the printed link is there. Every user of this machine can read the
// arguments of a process, so the opener is given a file that only its owner can read, and that sends the browser on.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "#lib/http/credentials.ts";

/** A browser that starts cold has read the file by then; its link ends after ten minutes anyway. */
const READ_MS = 60_000;

const pathIn = (dir: string): string => join(dir, "open.html");

/** Starts the system's opener on a file in `dir` that leads to the link, and forgets it. */
export async function openBrowser(link: string, dir: string): Promise<void> {
  const path = pathIn(dir);
  try {
    await writePrivate(path, pageTo(link));
  } catch {
    // A full disk: the link in the terminal is enough.
    return;
  }
  setTimeout(() => removeOpenFile(dir), READ_MS).unref();
  const [command, args]: [string, string[]] =
    process.platform === "darwin"
      ? ["open", [path]]
      : process.platform === "win32"
        ? ["rundll32", ["url.dll,FileProtocolHandler", path]]
        : ["xdg-open", [path]];
  const opener = spawn(command, args, { stdio: "ignore", detached: true });
  // No opener on this machine: the link in the terminal is enough.
  opener.on("error", () => undefined);
  opener.unref();
}

/** Takes the file away, also one that a server left which was killed. */
export function removeOpenFile(dir: string): void {
  rmSync(pathIn(dir), { force: true });
}

/** A link of ours has no character that means something in HTML but `&`. */
function pageTo(link: string): string {
  const safe = link.replaceAll("&", "&amp;");
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Plimsoll</title>` +
    `<meta http-equiv="refresh" content="0;url=${safe}"></head><body><p><a href="${safe}">Open Plimsoll</a></p></body></html>\n`
  );
}
