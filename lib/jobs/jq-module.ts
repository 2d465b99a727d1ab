// jq 1.8.2 as WebAssembly, compiled once and given to every thread.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** The memory section of jq-wasm 3.0.0: one memory of 256 to 4,096 pages of 64 KiB, that is at most 256 MiB. */
const MEMORY_SECTION = Uint8Array.of(5, 6, 1, 1, 0x80, 0x02, 0x80, 0x20);
/** The same length with 16,383 pages, 1 GiB less a page. */
const LARGER_MAXIMUM = [0xff, 0x7f] as const;

/**
 * The build allows 256 MiB, which one document of 30 MB fills; a person may give more (each call's own limit is kept by
 * jq-host.ts). With 1 GiB a document of 100 MB is answered in about the time of native jq. 32-bit jq cannot use much more.
 */
export async function compileJq(): Promise<WebAssembly.Module> {
  const bytes = await readFile(createRequire(import.meta.url).resolve("jq-wasm/jq.wasm"));
  return WebAssembly.compile(withLargerMemory(bytes));
}

export function withLargerMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const patched = new Uint8Array(bytes);
  const at = Buffer.from(patched.buffer).indexOf(MEMORY_SECTION);
  // Another build of jq: its own maximum stays.
  if (at !== -1) patched.set(LARGER_MAXIMUM, at + MEMORY_SECTION.length - LARGER_MAXIMUM.length);
  return patched;
}
