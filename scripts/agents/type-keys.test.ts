import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { atTerminal, ENTER, typed, typeKeys } from "./type-keys.ts";

test("keys are typed when their words are drawn and so many requests were answered, and what was missed is told", async () => {
  const terminal = { stdin: new PassThrough(), stdout: new PassThrough() };
  let answers = 0;
  const keystrokes = [...typed("Go on", "all is ready", 1), { screen: "never drawn", keys: "x" }];
  const { waitsFor, stop } = typeKeys(terminal, keystrokes, () => answers);
  const next = (): Promise<string> => new Promise((done) => terminal.stdin.once("data", (keys) => done(String(keys))));
  try {
    const first = next();
    expect(waitsFor()).toBe("all is ready");
    // Coloured, and with moves of the cursor in place of blanks.
    terminal.stdout.write("\u001B[38;5;246mall\u001B[1Cis\u001B[1Cready\u001B[39m");
    answers = 1;
    expect(await first).toBe("Go on");
    const second = next();
    terminal.stdout.write("Go on");
    expect(await second).toBe(ENTER);
    await expect.poll(waitsFor).toBe("never drawn");
  } finally {
    stop();
  }
});

test("a command with quotes is one word of the shell", () => {
  expect(atTerminal(["agent", "it's"])[2]).toBe("stty rows 45 cols 140; exec 'agent' 'it'\\''s'");
});
