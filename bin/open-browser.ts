// Opens a link in the person's browser; where that fails, the printed link is there.
import { spawn } from "node:child_process";

/** Starts the system's opener and forgets it. */
export function openBrowser(link: string): void {
  const [command, args]: [string, string[]] =
    process.platform === "darwin"
      ? ["open", [link]]
      : process.platform === "win32"
        ? ["rundll32", ["url.dll,FileProtocolHandler", link]]
        : ["xdg-open", [link]];
  const opener = spawn(command, args, { stdio: "ignore", detached: true });
  // No opener on this machine: the link in the terminal is enough.
  opener.on("error", () => undefined);
  opener.unref();
}
