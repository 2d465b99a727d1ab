/** A browser reads the address of a file a moment after the click. */
const RELEASE_MS = 60_000;

/** What the page holds, as a download. */
export function saveFile(content: BlobPart | Blob, name: string): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content]));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), RELEASE_MS);
}
