import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inArchive } from "../testing-archive.ts";
import { rootsOf } from "./source-roots.ts";

test("a star in a default folder stands for the rest of a name: profiles that are there are found", () =>
  inArchive(async (archive, home) => {
    for (const name of [".openclaw-dev/agents", ".openclaw-work", "openclaw-no"])
      mkdirSync(join(home, name), { recursive: true });
    const paths = rootsOf(archive, null, { HOME: home }, "linux").flatMap(({ path, format }) =>
      format === "openclaw" ? [path.slice(home.length)] : [],
    );
    expect(paths).toEqual(["/.openclaw/agents", "/.openclaw-dev/agents", "/.openclaw-work/agents"]);
  }));
