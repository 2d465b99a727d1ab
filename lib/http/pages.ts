// The small pages that the gate writes itself: no script, no file, no data.
import { escapeMarkup } from "#lib/kernel/escape-markup.ts";

const style =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1.5rem;color:#1d2228;background:#fff}" +
  "h1{font-size:1.25rem;font-weight:600}code{font:13px ui-monospace,monospace;background:#eef0f2;padding:.1em .35em;border-radius:3px}" +
  "@media(prefers-color-scheme:dark){body{color:#dfe3e7;background:#14171a}code{background:#262b30}}";

function page(title: string, body: string, head = ""): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title}</title>${head}<style>${style}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`
  );
}

/** What a browser without a cookie sees. */
export function signInPage(): string {
  return page(
    "Plimsoll: not signed in",
    "<p>Sign-in link needed: run <code>npx plimsoll</code>, or <code>npm start</code> in a checkout, to print a new one, also while the server runs.</p>" +
      "<p>Each link signs in one browser, once, within 10 minutes.</p>",
  );
}

/** Asks the browser for the same address again, now from our own site, so that it sends its cookie. */
export function againPage(): string {
  return page("Plimsoll", "<p>Opening…</p>", '<meta http-equiv="refresh" content="0">');
}

/** Sends a browser that came from elsewhere on to a page, from our own site. */
export function onwardPage(location: string): string {
  const safe = escapeMarkup(location);
  return page(
    "Plimsoll",
    `<p><a href="${safe}">Continue</a></p>`,
    `<meta http-equiv="refresh" content="0;url=${safe}">`,
  );
}

/** What somebody without a cookie sees at a node of a fleet. */
export function peoplePage(path: string): string {
  const safe = escapeMarkup(`/sign-in?to=${encodeURIComponent(path)}`);
  return page("Plimsoll: not signed in", `<p><a href="${safe}">Sign in</a></p>`);
}

/** A page that is for others. */
export function noPage(message: string): string {
  return page(
    "Plimsoll",
    `<p>${escapeMarkup(message)}</p><p><a href="/">Sessions</a> · <a href="/sign-in">Who is signed in</a></p>`,
  );
}

/** In place of a page that could not be made. */
export function failedPage(message: string): string {
  return page("Plimsoll", `<p>${escapeMarkup(message)}</p><p><a href="">Try again</a></p>`);
}
