import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies, headers } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { buttonClass } from "#components/ui/button.tsx";
import { isMacAgent } from "#components/ui/platform.ts";
import { Shell } from "#components/shell/shell.tsx";
import { isTheme, THEME_COOKIE } from "#components/shell/theme.ts";
import { appContext } from "#lib/http/app-context.ts";
import { callerManages, callerPerson, callerRunsServer, callerWrites, seesArchive } from "#lib/http/caller.ts";
import { WIDTH_HINT } from "#lib/http/headers.ts";
import { pageWidth, WIDTH_COOKIE } from "#lib/wire/page-width.ts";
import { firstAnswers, frame } from "./first-answers.ts";
import { Providers } from "./providers.tsx";
import "./globals.css";

// Asked for with the page, and a fallback of the same widths stands in for it: letters that come later move nothing.
// Other scripts come from the whole family in globals.css.
const inter = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-opsz-normal.woff2",
  weight: "100 900",
  display: "optional",
  adjustFontFallback: "Arial",
  variable: "--inter-latin",
});

export const metadata: Metadata = {
  title: { default: "Plimsoll", template: "%s · Plimsoll" },
  description: "What loads an AI agent's context window.",
  icons: "/mark.svg",
};

export const viewport: Viewport = {
  colorScheme: "light dark",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fcfcfb" },
    { media: "(prefers-color-scheme: dark)", color: "#101214" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Without it Next freezes pages at build time: their reads are synchronous, so nothing tells it that they vary.
  await connection();
  const cookie = await cookies();
  const stored = cookie.get(THEME_COOKIE)?.value;
  const theme = isTheme(stored) ? stored : "system";
  const head = await headers();
  const mac = isMacAgent(head.get("user-agent") ?? "");
  // The theme comes with the page, so nothing flashes and no script runs before the first paint.
  return (
    <html
      lang="en"
      className={inter.variable}
      data-theme={theme === "system" ? undefined : theme}
      suppressHydrationWarning
    >
      <body>
        {/* Past the bar, for a keyboard: out of sight until it has the focus. */}
        <a href="#content" className={`${buttonClass()} fixed top-2 left-2 z-50 not-focus:-translate-y-20`}>
          Skip to content
        </a>
        <Providers
          state={await firstAnswers(frame)}
          seesAll={seesArchive()}
          isNode={appContext().fleet !== null}
          writes={callerWrites()}
          runsServer={callerRunsServer()}
          person={callerPerson()}
          manages={callerManages()}
        >
          <Shell theme={theme} mac={mac} width={pageWidth(cookie.get(WIDTH_COOKIE)?.value, head.get(WIDTH_HINT))}>
            <span id="content" tabIndex={-1} />
            {children}
          </Shell>
        </Providers>
      </body>
    </html>
  );
}
