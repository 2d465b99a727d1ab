// The link that signs a browser in is given to the system's opener, and to nobody who lists processes.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { inFolder } from "#lib/archive/testing-archive.ts";
import { openBrowser, removeOpenFile } from "./open-browser.ts";

const before = process.env["PATH"];
afterEach(() => void (process.env["PATH"] = before));

test.skipIf(process.platform !== "linux")(
  "the opener is given a private file that leads to the link, not the link",
  () =>
    inFolder(async (dir) => {
      const bin = join(dir, "bin");
      mkdirSync(bin);
      writeFileSync(
        join(bin, "xdg-open"),
        `#!/bin/sh\ntr '\\0' ' ' < /proc/$$/cmdline > '${dir}/args.tmp' && mv '${dir}/args.tmp' '${dir}/args'\n`,
      );
      chmodSync(join(bin, "xdg-open"), 0o700);
      process.env["PATH"] = `${bin}${delimiter}${before}`;
      const token = "synthetic-token_0123456789";
      process.umask(0o000);
      await openBrowser(`http://127.0.0.1:4567/?token=${token}`, dir);
      process.umask(0o022);
      await expect.poll(() => existsSync(join(dir, "args"))).toBe(true);
      const shown = readFileSync(join(dir, "args"), "utf8");
      expect(shown).toContain(join(dir, "open.html"));
      expect(shown).not.toContain(token);
      expect(statSync(join(dir, "open.html")).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(dir, "open.html"), "utf8")).toContain(`url=http://127.0.0.1:4567/?token=${token}"`);
      removeOpenFile(dir);
      expect(existsSync(join(dir, "open.html"))).toBe(false);
    }),
);
