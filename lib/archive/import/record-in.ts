/** The JSON that a record's bytes are; null where they are none. */
export function recordIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return null;
  }
}
