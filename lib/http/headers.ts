// The headers that every response carries, whoever answers it: a page, a static file, bytes or a refusal.

/** On everything. Pages and byte doors replace the policy with their own. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy":
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
  "X-DNS-Prefetch-Control": "off",
};

/** The width of the window, as Chromium says it to a page that wants it. */
export const WIDTH_HINT = "Sec-CH-Viewport-Width";
/** On every page. The second has a browser that did not say it ask again at once, so that its first page fits the window. */
export const HINT_HEADERS: Readonly<Record<string, string>> = { "Accept-CH": WIDTH_HINT, "Critical-CH": WIDTH_HINT };

/** Bytes that someone else wrote, opened on their own: no script, no request, an origin of their own. */
export const SANDBOX_POLICY =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'";

/** The small pages that the gate writes itself. */
export const GATE_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/**
 * The policy of our pages. Scripts are our files and those that Next marks with the nonce (it reads it from the
 * request's own policy header). Styles stay inline because React's `style` and Monaco write them; wasm is jq's.
 * Development needs eval and a web socket for reloading.
 */
export function pagePolicy(nonce: string, dev: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'wasm-unsafe-eval'${dev ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self'${dev ? " ws:" : ""}`,
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "manifest-src 'self'",
    "media-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

// Next believes these, and a client could write them: the inner ones switch middleware and rendering, the
// forwarded ones name another host. Nothing stands in front of this server, so none can be true.
const dropped = [/^x-middleware-/, /^x-forwarded-/, /^forwarded$/, /^x-real-ip$/, /^x-invoke-/, /^x-matched-path$/];
const droppedExactly = new Set([
  "x-nextjs-data",
  "next-action",
  "x-now-route-matches",
  "x-nonce",
  "content-security-policy",
  "content-security-policy-report-only",
]);

/** True for a request header that never reaches Next. */
export function isDroppedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return droppedExactly.has(lower) || dropped.some((pattern) => pattern.test(lower));
}
