// The width of the window lives in a cookie, so that the server draws the columns that this browser has room for.

export const WIDTH_COOKIE = "width";
/** Of a browser that was never here. */
const USUAL_PX = 1440;

/** `hint`: what the browser said in a header, where it was never here. */
export function pageWidth(stored: string | undefined, hint: string | null): number {
  const px = Number(stored ?? hint);
  return Number.isInteger(px) && px >= 240 && px <= 10_000 ? px : USUAL_PX;
}
