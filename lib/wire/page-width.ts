// The server draws the columns that this window has room for: Chromium says its width in a header. The cookie has what a
// page of another browser measured last, which may have been another window.

export const WIDTH_COOKIE = "width";
/** Of a browser that was never here. */
const USUAL_PX = 1440;

/** `hint`: what the browser said in a header, of this window now. */
export function pageWidth(stored: string | undefined, hint: string | null): number {
  const px = Number(hint ?? stored);
  return Number.isInteger(px) && px >= 240 && px <= 10_000 ? px : USUAL_PX;
}
