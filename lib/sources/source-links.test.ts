// A source that becomes a link between the look at it and its opening is refused, also where the link stays inside.
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";

let onLooked: () => void = () => undefined;
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const lstatSync = ((...given: Parameters<typeof fs.lstatSync>) => {
    const found = fs.lstatSync(...given);
    onLooked();
    return found;
  }) as typeof fs.lstatSync;
  return { ...fs, lstatSync };
});
const { openSource } = await import("./source-handle.ts");

afterEach(() => void (onLooked = () => undefined));

test("a file that is swapped for a link once it was looked at is not opened", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "plimsoll-swap-")));
  try {
    const path = join(root, "a.jsonl");
    writeFileSync(path, "{}\n");
    writeFileSync(join(root, "other.jsonl"), "{}\n");
    const opened = await openSource(path, [root]);
    await opened.close();
    onLooked = () => {
      onLooked = () => undefined;
      rmSync(path);
      symlinkSync(join(root, "other.jsonl"), path);
    };
    await expect(openSource(path, [root])).rejects.toMatchObject({ code: expect.any(String) });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
