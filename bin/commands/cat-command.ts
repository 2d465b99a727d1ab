import { openRaw } from "#lib/archive/artifacts/open-raw.ts";
import { fail } from "#lib/kernel/errors.ts";
import { reading } from "./open-archive.ts";
import { writeStdout } from "./write-stdout-command.ts";
import type { Run } from "./args.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const artifact = await openRaw(archive, words.args[0]!);
    if (artifact.kind !== "bytes") return fail(artifact.kind === "gone" ? "not_found" : "conflict", artifact.message);
    await writeStdout(artifact.read());
    return undefined;
  });
