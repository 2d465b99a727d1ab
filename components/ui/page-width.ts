// The width of the window lives in a cookie, so that the server draws the columns that this browser has room for.

export const WIDTH_COOKIE = "width";
/** Of a browser that was never here. */
const USUAL_PX = 1440;

export function pageWidth(stored: string | undefined): number {
  const px = Number(stored);
  return Number.isInteger(px) && px >= 240 && px <= 10_000 ? px : USUAL_PX;
}
