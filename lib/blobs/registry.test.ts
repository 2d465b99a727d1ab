import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RegistryLine } from "./session-registry.ts";
import { appendRegistry, closeRegistries, flushRegistry, readRegistry, registryText } from "./session-registry.ts";

const ID = "s_0123456789abcdef";
let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-registry-"));
});
afterEach(() => {
  closeRegistries(dir);
  rmSync(dir, { recursive: true, force: true });
});

const path = (): string => join(dir, "sessions", ID, "registry.jsonl");

async function append(...lines: object[]): Promise<void> {
  appendRegistry(dir, ID, registryText(lines));
  await flushRegistry();
}

async function read(): Promise<RegistryLine[]> {
  const lines: RegistryLine[] = [];
  for await (const line of readRegistry(dir, ID)) lines.push(line);
  return lines;
}

const values = async (): Promise<unknown[]> => (await read()).map((line) => line.value);

test("what is appended is read back, in order, with a crc on each line", async () => {
  expect(await read()).toEqual([]);
  await append({ pointer: "art:1", name: "é\n\u2028" }, {});
  await append({ pointer: "art:2", crcs: 1 });
  expect(await values()).toEqual([{ pointer: "art:1", name: "é\n\u2028" }, {}, { pointer: "art:2", crcs: 1 }]);
  const raw = readFileSync(path(), "utf8").split("\n");
  expect(raw).toHaveLength(4);
  for (const line of raw.slice(0, 3)) expect(JSON.parse(line)).toMatchObject({ crc: expect.any(Number) });
  expect((await read()).map((line) => [line.line, line.raw])).toEqual(raw.slice(0, 3).map((text, i) => [i + 1, text]));
});

test("any JSON value survives, and any change of a byte is noticed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (lines, at, change) => {
        rmSync(join(dir, "sessions"), { recursive: true, force: true });
        const clean = lines.map(({ crc: _crc, ...line }) => JSON.parse(JSON.stringify(line)) as object);
        await append(...clean);
        expect(await values()).toEqual(clean);
        const bytes = readFileSync(path());
        const position = at % bytes.length;
        bytes[position]! ^= change;
        writeFileSync(path(), bytes);
        const damaged = await values();
        expect(damaged).not.toEqual(clean);
        expect(damaged).toContain(null);
      },
    ),
    { numRuns: 100 },
  );
});

test("a torn tail is read as damaged, and moved aside by the next batch", async () => {
  await append({ n: 1 }, { n: 2 });
  truncateSync(path(), statSync(path()).size - 5);
  expect(await values()).toEqual([{ n: 1 }, null]);
  await append({ n: 3 });
  expect(await values()).toEqual([{ n: 1 }, { n: 3 }]);
  expect(readFileSync(`${path()}.torn`, "utf8")).toMatch(/^\{"n":2,"crc":\d+\n$/);
  appendFileSync(path(), "\0".repeat(5000));
  await append({ n: 4 });
  expect(await values()).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }]);
});

test("a registry that was changed, moved away or removed between two batches is looked at again", async () => {
  await append({ n: 1 });
  renameSync(path(), `${path()}.moved`);
  await append({ n: 2 });
  expect(await values()).toEqual([{ n: 2 }]);
  expect(readFileSync(`${path()}.moved`, "utf8").split("\n")).toHaveLength(2);
  rmSync(join(dir, "sessions"), { recursive: true });
  await append({ n: 3 });
  expect(await values()).toEqual([{ n: 3 }]);
});

test("of many registries a few stay open, and none after the archive is closed", async () => {
  const count = (): number =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(dir);
      } catch {
        return false;
      }
    }).length;
  const ids = Array.from({ length: 40 }, (_, i) => `s_${i.toString(16).padStart(16, "0")}`);
  for (let round = 0; round < 2; round++) {
    for (const id of ids) appendRegistry(dir, id, registryText([{ round }]));
    await flushRegistry();
  }
  if (process.platform === "linux") expect(count()).toBe(8);
  closeRegistries(dir);
  if (process.platform === "linux") expect(count()).toBe(0);
  for (const id of ids) {
    const lines: unknown[] = [];
    for await (const { value } of readRegistry(dir, id)) lines.push(value);
    expect(lines).toEqual([{ round: 0 }, { round: 1 }]);
  }
});

test("a last line that lacks only its newline is kept", async () => {
  await append({ n: 1 }, { n: 2 });
  truncateSync(path(), statSync(path()).size - 1);
  expect(await values()).toEqual([{ n: 1 }, { n: 2 }]);
  await append({ n: 3 });
  expect(await values()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("a damaged line in the middle does not stop the reading", async () => {
  await append({ n: 1 }, { n: 2 }, { n: 3 });
  writeFileSync(path(), readFileSync(path(), "utf8").replace('"n":2', '"n":7'));
  expect(await values()).toEqual([{ n: 1 }, null, { n: 3 }]);
});

test("lines longer than a read are whole", async () => {
  const long = { text: "x".repeat(1_000_000) };
  await append({ n: 1 }, long, { n: 2 });
  expect(await values()).toEqual([{ n: 1 }, long, { n: 2 }]);
});

test("a session id that is none is refused, and so is a field that the registry adds itself", async () => {
  for (const odd of ["", "..", "s_0123456789ABCDEF", "s_0123456789abcdef/..", `${ID}\n`, "s_0123"]) {
    expect(() => appendRegistry(dir, odd, registryText([{}]))).toThrow("is not a session id");
    await expect(readRegistry(dir, odd).next()).rejects.toMatchObject({ code: "invalid" });
  }
  expect(() => registryText([{ crc: 1 }])).toThrow('field "crc"');
});

test("folders are 0700 and files 0600, whatever the umask", async () => {
  const before = process.umask(0);
  try {
    await append({ n: 1 });
    appendFileSync(path(), "torn");
    await append({ n: 2 });
  } finally {
    process.umask(before);
  }
  const mode = (at: string): string => (statSync(at).mode & 0o777).toString(8);
  expect([mode(path()), mode(`${path()}.torn`), mode(join(path(), "..")), mode(join(dir, "sessions"))]).toEqual([
    "600",
    "600",
    "700",
    "700",
  ]);
});

test("a batch that does not fit on the disk leaves the earlier lines as they were", async () => {
  await append({ n: 1 });
  const size = statSync(path()).size;
  const registryModule = pathToFileURL(join(import.meta.dirname, "session-registry.ts")).href;
  const script = `const { appendRegistry, registryText } = await import(${JSON.stringify(registryModule)});
    process.on("SIGXFSZ", () => {});
    try { appendRegistry(process.argv[1], ${JSON.stringify(ID)}, registryText([{ text: "x".repeat(20000) }])); }
    catch (error) { console.log(error.code); }`;
  // A limit of 8 blocks of 512 or 1,024 bytes stands in for a full disk: a first write is cut short there.
  const shell = 'ulimit -f 8 && exec "$@"';
  const ran = spawnSync("sh", ["-c", shell, "sh", process.execPath, "--input-type=module", "-e", script, dir], {
    encoding: "utf8",
  });
  expect(ran.stdout.trim()).toBe("EFBIG");
  expect(statSync(path()).size).toBe(size);
  expect(await values()).toEqual([{ n: 1 }]);
});
