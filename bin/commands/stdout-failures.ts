// What becomes of a command whose output cannot be written. console.log says nothing of it: without this, a file on a full disk is
// cut short and the command is "done".

/** A reader that went away (head, less) is no failure. Any other is said once, and ends in status 1. */
export function reportStdoutFailures(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || failure !== null) return;
    failure = error;
    console.error(`The output could not be written: ${error.message}. Free some space, or write it elsewhere.`);
    process.once("exit", () => (process.exitCode = 1));
  });
}

let failure: Error | null = null;

/** True of the failure that was said. */
export const isReported = (error: unknown): boolean => error === failure;
