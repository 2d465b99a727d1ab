// A session that is removed, or whose file is written anew, while somebody downloads it: no file leaves that has a part of it, or parts of
// two.
import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  answer,
  asks,
  jsonl,
  OTHER_SESSION,
  prompt,
  result,
  SESSION,
} from "#lib/formats/claude-code/testing-claude.ts";
import { EXPORT_FORMATS, type ExportFormat } from "#lib/wire/export-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { planBundle } from "../bundle/write-bundle.ts";
import { importPaths } from "../import/import-paths.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { writeExport } from "./write-export.ts";

/** More than a page of events and more than a block of bytes, that no compression makes one piece of. */
const steps = (name: string, from = 0, count = 300, session = SESSION): string =>
  Array.from({ length: count }, (_, n) =>
    jsonl(
      prompt(`${name}p${n}`, (from + n) * 3, `${name} ${n}`, { sessionId: session }),
      answer(`${name}a${n}`, (from + n) * 3 + 1, `${name}${n}`, asks(`${name}t${n}`, "Bash", { command: `run ${n}` }), {
        more: { sessionId: session },
      }),
      result(`${name}r${n}`, (from + n) * 3 + 2, `${name}t${n}`, `${name} ${n}: ${noise(n)}`, { sessionId: session }),
    ),
  ).join("");

const noise = (n: number): string =>
  Array.from({ length: 300 }, (_, i) => ((n + 1) * (i + 7) * 2654435761).toString(36)).join(" ");

/** Reads an export to its end; `run`: what happens once its first piece came. */
async function sizeOf(pieces: AsyncIterable<Uint8Array>, run?: () => Promise<unknown>): Promise<number> {
  let size = 0;
  for await (const piece of pieces) {
    if (size === 0) await run?.();
    size += piece.length;
  }
  return size;
}

async function whileExported(archive: Archive, id: string, format: ExportFormat, run: () => Promise<unknown>) {
  const { pieces } = await writeExport(archive, id, { format, mask: "none", outputs: "whole" });
  return sizeOf(pieces, run);
}

const inSession = (run: (archive: Archive, id: string, path: string, logs: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${SESSION}.jsonl`, steps("old"));
    const { files } = await importPaths(archive, [path]);
    await run(archive, files[0]!.sessions[0]!, path, logs);
  });

// A report is made at once, before its first byte; the bundle below has pieces of its own.
const PIECEWISE = EXPORT_FORMATS.filter((format) => !["html", "report-markdown", "bundle"].includes(format));

test.each(PIECEWISE)("%s: a session that is removed meanwhile does not end as a whole file", (format) =>
  inSession(async (archive, id) => {
    await expect(whileExported(archive, id, format, () => removeSession(archive, id))).rejects.toThrow("Retry.");
  }),
);

test.each(PIECEWISE)("%s: a session whose row another one has by then has nothing of that", (format) =>
  inSession(async (archive, id, _, logs) => {
    const other = async (): Promise<void> => {
      await removeSession(archive, id);
      await importPaths(archive, [put(logs, `${OTHER_SESSION}.jsonl`, steps("other", 0, 400, OTHER_SESSION))]);
    };
    await expect(whileExported(archive, id, format, other)).rejects.toThrow("Retry.");
  }),
);

test.each(PIECEWISE)("%s: a file that is written anew meanwhile is not mixed with what it was", (format) =>
  inSession(async (archive, id, path, logs) => {
    const again = async (): Promise<void> => {
      put(logs, `${SESSION}.jsonl`, steps("new", 0, 310));
      await importPaths(archive, [path]);
    };
    await expect(whileExported(archive, id, format, again)).rejects.toThrow("Retry.");
  }),
);

test.each(PIECEWISE)("%s: a session that only goes on is exported as it was", (format) =>
  inSession(async (archive, id, path) => {
    const grow = async (): Promise<void> => {
      appendFileSync(path, steps("more", 1000, 2));
      await importPaths(archive, [path]);
    };
    expect(await whileExported(archive, id, format, grow)).toBeGreaterThan(10_000);
  }),
);

test("a bundle that is written after its session was removed is refused", () =>
  inSession(async (archive, id) => {
    const { pieces } = await writeExport(archive, id, { format: "bundle" });
    await removeSession(archive, id);
    await expect(sizeOf(pieces)).rejects.toThrow("Retry.");
  }));

test("a bundle whose file is written anew between two blocks is refused", () =>
  inSession(async (archive, id, path, logs) => {
    const again = async (): Promise<void> => {
      put(logs, `${SESSION}.jsonl`, steps("new", 0, 310));
      await importPaths(archive, [path]);
    };
    const [file] = planBundle(archive, id).parts;
    await expect(sizeOf(file!.read(), again)).rejects.toThrow("Retry.");
  }));

test("a bundle whose file is removed between two blocks is refused", () =>
  inSession(async (archive, id) => {
    const [file] = planBundle(archive, id).parts;
    await expect(sizeOf(file!.read(), () => removeSession(archive, id))).rejects.toThrow("Retry");
  }));

test("a bundle whose file only grows between two blocks has what it had", () =>
  inSession(async (archive, id, path) => {
    const [file] = planBundle(archive, id).parts;
    const grow = async (): Promise<void> => {
      appendFileSync(path, steps("more", 1000, 2));
      await importPaths(archive, [path]);
    };
    expect(await sizeOf(file!.read(), grow)).toBe(file!.entry.sizeBytes);
  }));
