"use client";
// Markdown that strangers wrote: no raw HTML, no image is fetched, a link shows all of its address before it opens.
import { memo, useState, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { hasHidden, shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { rehypeDirection } from "./rehype-direction.ts";
import { rehypeVisible } from "./rehype-visible.ts";
import "./markdown.css";

const COMPONENTS: Components = {
  a: ({ href, children }) => <StrangeLink href={href}>{children}</StrangeLink>,
  img: ({ src, alt }) => <ImageChip src={typeof src === "string" ? src : ""} alt={alt ?? ""} />,
  input: ({ checked }) => <span aria-label={checked ? "done" : "to do"}>{checked ? "☑" : "☐"}</span>,
};

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeVisible, rehypeDirection]}
        components={COMPONENTS}
        skipHtml={false}
      >
        {text}
      </ReactMarkdown>
      {hasHidden(text) && <span className="text-11 text-ink-3">hidden text is shown by name</span>}
    </div>
  );
});

function StrangeLink({ href, children }: { href: string | undefined; children?: ReactNode }) {
  const [request, setRequest] = useState(false);
  const target = webAddress(href);
  if (target === null)
    return (
      <span
        title={href ? `This does not lead to a web page: ${shownText(href.slice(0, 300))}` : undefined}
        className="underline decoration-dotted"
      >
        {children}
      </span>
    );
  return (
    <>
      <button type="button" className="link inline text-left" title={target} onClick={() => setRequest(true)}>
        {children}
      </button>
      {request && (
        <Dialog open onClose={() => setRequest(false)} title={`Open ${new URL(target).host}?`}>
          <p className="mono break-all">
            <SafeText text={target} />
          </p>
          <p className="mt-2 text-12 text-ink-3">Link from a transcript. Opening it leaves this machine.</p>
          <a
            className={`${buttonClass("primary")} mt-3`}
            href={target}
            target="_blank"
            rel="noreferrer noopener"
            referrerPolicy="no-referrer"
            onClick={() => setRequest(false)}
          >
            Open the page
          </a>
        </Dialog>
      )}
    </>
  );
}

/** The address in full, its host in punycode, when it is one of the web's; else null. */
function webAddress(href: string | undefined): string | null {
  if (href === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
}

/** In place of an image on another machine: where it would have come from. It is never fetched. */
function ImageChip({ src, alt }: { src: string; alt: string }) {
  const address = webAddress(src);
  const host = address === null ? "not on the web" : new URL(address).host;
  return (
    <span
      className="inline-flex h-5 items-center gap-1 rounded-1 px-1.5 text-12 text-ink-2 shadow-[inset_0_0_0_1px_var(--line-strong)]"
      title={`Not fetched: ${shownText(src.slice(0, 300))}`}
    >
      image{alt !== "" && <SafeText text={` “${alt.slice(0, 80)}”`} />}, {host}
    </span>
  );
}
