// What can be said of a program before a thread is asked.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { JqTask, JqResult } from "./jq-program.ts";
import type { JqFailureKind } from "./job-types.ts";

type JqRefusal = Extract<JqResult, { ok: false }>;

export function refusalOf({
  program,
  options,
  limits,
}: Pick<JqTask, "program" | "options" | "limits">): JqRefusal | null {
  const failure = (kind: JqFailureKind, message: string): JqRefusal => ({
    ok: false,
    kind,
    message,
    position: null,
  });
  const args = { ...options.args, ...options.json_args };
  const words = Object.entries(args).flat();
  if ([program, ...words].some((word) => word.includes("\0")))
    return failure("compile", "The program has a NUL character in it; write \\u0000 inside a string instead.");
  const most = limits.programChars;
  if (most !== undefined && program.length > most && [...program].length > most)
    return failure("too_large", `The program has ${[...program].length} characters; at most ${most} are run here.`);
  const bytes = Buffer.byteLength(program);
  if (bytes > LIMITS.jqProgramBytes)
    return failure("too_large", `The program has ${bytes} bytes; at most ${LIMITS.jqProgramBytes} are run.`);
  const argBytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (argBytes > LIMITS.jqProgramBytes)
    return failure("too_large", `The arguments have ${argBytes} bytes; at most ${LIMITS.jqProgramBytes} are given.`);
  return null;
}
