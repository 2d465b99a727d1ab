import type { Metadata, Viewport } from "next";
import { cookies, headers } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { isMacAgent } from "#components/ui/platform.ts";
import { Shell } from "#components/shell/shell.tsx";
import { isTheme, THEME_COOKIE } from "#components/shell/theme.ts";
import { firstAnswers, frame } from "./first-answers.ts";
import { Providers } from "./providers.tsx";
import "./globals.css";

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
  const stored = (await cookies()).get(THEME_COOKIE)?.value;
  const theme = isTheme(stored) ? stored : "system";
  const mac = isMacAgent((await headers()).get("user-agent") ?? "");
  // The theme comes with the page, so nothing flashes and no script runs before the first paint.
  return (
    <html lang="en" data-theme={theme === "system" ? undefined : theme} suppressHydrationWarning>
      <body>
        <Providers state={await firstAnswers(frame)}>
          <Shell theme={theme} mac={mac}>
            {children}
          </Shell>
        </Providers>
      </body>
    </html>
  );
}
