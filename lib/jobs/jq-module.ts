// jq 1.8.2 as WebAssembly, compiled once and given to every thread.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** The memory section of jq-wasm 3.0.0: one memory of 256 to 4,096 pages of 64 KiB, that is at most 256 MiB. */
const MEMORY_SECTION = Uint8Array.of(5, 6, 1, 1, 0x80, 0x02, 0x80, 0x20);
/** The same with 32,767 pages: 2 GiB less a page, as far as its addresses are positive numbers of JavaScript. */
const LARGER_SECTION = Uint8Array.of(5, 7, 1, 1, 0x80, 0x02, 0xff, 0xff, 0x01);

export const PAGE_BYTES = 65_536;
export const MOST_MEMORY_BYTES = 32_767 * PAGE_BYTES;

/**
 * The build allows 256 MiB, which one document of 30 MB fills; a person may give more (each call's own limit is kept by
 * jq-host.ts). A document of 100 MB takes 0.9 to 1.2 GB, and about the time of native jq.
 */
export async function compileJq(): Promise<WebAssembly.Module> {
  const bytes = await readFile(createRequire(import.meta.url).resolve("jq-wasm/jq.wasm"));
  return WebAssembly.compile(withLargerMemory(bytes));
}

export function withLargerMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const at = Buffer.from(bytes).indexOf(MEMORY_SECTION);
  // Another build of jq: its own maximum stays.
  if (at === -1) return new Uint8Array(bytes);
  const rest = bytes.subarray(at + MEMORY_SECTION.length);
  return new Uint8Array(Buffer.concat([bytes.subarray(0, at), LARGER_SECTION, rest]));
}
