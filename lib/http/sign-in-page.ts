// The page that signs people in at a node of a fleet, says who is signed in, and signs them out. No script, and no other file.
import { escapeMarkup } from "#lib/kernel/escape-markup.ts";

/** Plain forms post to this site alone. */
export const SIGN_IN_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

export type SignInView = {
  /** Who is signed in; null for nobody. */
  readonly person: { readonly email: string; readonly isAdmin: boolean; readonly roles: readonly string[] } | null;
  /** Signed in by the link that the node prints. */
  readonly isByNode: boolean;
  /** The identity provider's host; null where there are links alone. */
  readonly provider: string | null;
  /** Where they were going. */
  readonly to: string;
  /** Why it did not work. */
  readonly problem: string | null;
};

// The colours of app/tokens.css, which this page does not load.
const STYLE = `
:root{color-scheme:light dark;--bg:light-dark(#fcfcfb,#101214);--raised:light-dark(#fff,#1b1f22);--line:light-dark(#e6e6e2,#24282c);--control:light-dark(#85888c,#6b737b);--ink:light-dark(#17191c,#eceef0);--ink-2:light-dark(#484d54,#b6bcc3);--invert:light-dark(#fcfcfb,#101214);--accent:light-dark(#2450c4,#9ab5ff);--load:light-dark(#d21f2b,#ff5b4d)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;align-items:center;justify-content:center;padding:24px;background:var(--bg);color:var(--ink);font:13px/20px Inter,system-ui,sans-serif}
main{width:100%;max-width:360px;background:var(--raised);border:1px solid var(--line);border-radius:10px;padding:24px}
header{display:flex;gap:8px;align-items:center;margin-bottom:16px}
svg{width:26px;height:20px}
h1{font-size:15px;line-height:24px;font-weight:600;margin:0}
p{margin:0 0 12px;color:var(--ink-2)}
strong{color:var(--ink);font-weight:600;overflow-wrap:anywhere}
ul{list-style:none;margin:0 0 16px;padding:0;border-top:1px solid var(--line)}
li{display:flex;justify-content:space-between;gap:12px;padding:6px 0;border-bottom:1px solid var(--line)}
li span{color:var(--ink-2)}
.act{display:block;width:100%;border:1px solid var(--ink);border-radius:6px;padding:7px 12px;background:var(--ink);color:var(--invert);font:inherit;font-weight:500;text-align:center;text-decoration:none;cursor:pointer}
.plain{background:none;color:var(--ink);border-color:var(--control);margin-top:8px}
.act:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.bad{color:var(--ink);font-weight:500;border-left:2px solid var(--ink);padding-left:10px}`;

const MARK =
  '<svg viewBox="0 0 26 20" fill="none" aria-hidden="true"><path stroke="var(--ink)" stroke-width="2.2" d="M6.1 7.3A7.4 7.4 0 0 1 19.9 7.3M19.9 12.7A7.4 7.4 0 0 1 6.1 12.7"/>' +
  '<path stroke="var(--load)" stroke-width="2.4" stroke-linecap="round" d="M1.2 10H24.8"/></svg>';

export function signInHtml({ person, isByNode, provider, to, problem }: SignInView): string {
  const title = person === null && !isByNode ? "Sign in" : "Signed in";
  const body = person !== null ? personPart(person, to) : isByNode ? nodePart(provider, to) : nobodyPart(provider, to);
  const said = problem === null ? "" : `<p class="bad" role="alert">${escapeMarkup(problem)}</p>`;
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title} · Plimsoll</title><style>${STYLE}</style></head><body><main>` +
    `<header>${MARK}<h1>${title}</h1></header>${said}${body}</main></body></html>`
  );
}

function nobodyPart(provider: string | null, to: string): string {
  if (provider === null) return "<p>You need a sign-in link. Ask an admin of this fleet for one.</p>";
  return `<p>Use your account at <strong>${escapeMarkup(provider)}</strong>, or a link from an admin.</p><a class="act" href="${startOf(to)}">Sign in</a>`;
}

const startOf = (to: string): string => escapeMarkup(`/sign-in/start?to=${encodeURIComponent(to)}`);

/** Whoever has the node's own link has no name in the fleet. */
function nodePart(provider: string | null, to: string): string {
  const account =
    provider === null
      ? "<p>To use your own name, open a sign-in link from an admin.</p>"
      : `<a class="act plain" href="${startOf(to)}">Sign in at ${escapeMarkup(provider)}</a>`;
  return (
    "<p>You are <strong>the admin of this node</strong>: you opened the link that it prints.</p>" +
    "<ul><li>Every project<span>admin, at this node</span></li></ul>" +
    (provider === null ? account : "") +
    `<a class="act" href="${escapeMarkup(to)}">${to === "/" ? "Open sessions" : "Continue"}</a>` +
    (provider === null ? "" : account)
  );
}

function personPart({ email, isAdmin, roles }: NonNullable<SignInView["person"]>, to: string): string {
  const rows = roles.map((row) => {
    const [project = "", role = ""] = row.split(" ");
    return `<li>${escapeMarkup(project)}<span>${escapeMarkup(role)}</span></li>`;
  });
  const all = isAdmin ? ["<li>Every project<span>admin</span></li>"] : [];
  return (
    `<p>You are <strong>${escapeMarkup(email)}</strong>.</p><ul>${[...all, ...rows].join("")}</ul>` +
    `<a class="act" href="${escapeMarkup(to)}">Open sessions</a>` +
    `<form method="post" action="/sign-in/out"><button class="act plain">Sign out</button></form>`
  );
}
