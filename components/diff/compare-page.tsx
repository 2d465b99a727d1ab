"use client";
// Two artifacts, and what differs between them: the older on the left, as a reader of changes expects it.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeftRight } from "lucide-react";
import Link from "next/link";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo, type ReactNode } from "react";
import { eventHref } from "../shared/load-cursor.ts";
import { failureOf } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { ByteCompare } from "./byte-compare.tsx";
import { sideQuery, type CompareSide } from "./compare-side.ts";
import { DiffView } from "./diff-view.tsx";
import type { DiffAsk, Layout, SideSource } from "./diff-words.ts";
import { ImageCompare } from "./image-compare.tsx";
import { PickArtifact } from "./pick-artifact.tsx";

const SIDES = ["left", "right"] as const;

const PARSERS = {
  left: parseAsString,
  right: parseAsString,
  show: parseAsStringLiteral(["split", "unified"]).withDefault("split"),
  json: parseAsStringLiteral(["stored", "laid", "sorted"]),
};

export function ComparePage() {
  const [chosen, choose] = useQueryStates(PARSERS, { history: "replace" });
  const left = useQuery({ ...sideQuery(chosen.left ?? ""), enabled: chosen.left !== null });
  const right = useQuery({ ...sideQuery(chosen.right ?? ""), enabled: chosen.right !== null });
  const answers = { left, right };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHead
        title="Compare"
        aside={
          chosen.left !== null &&
          chosen.right !== null && (
            <Button small onClick={() => void choose({ left: chosen.right, right: chosen.left })}>
              <ArrowLeftRight size={12} aria-hidden="true" />
              Swap sides
            </Button>
          )
        }
      >
        Compare two outputs.
      </PageHead>
      <div className="mt-3 grid flex-none grid-cols-2 gap-x-8 gap-y-4 px-6 pb-3 max-md:grid-cols-1 max-md:px-4">
        {SIDES.map((side) => {
          const name = side === "left" ? "Left" : "Right";
          const { data, error } = answers[side];
          return (
            <section key={side} aria-label={name} className="min-w-0">
              {chosen[side] === null ? (
                <PickArtifact
                  label={side === "left" ? "Before" : "After"}
                  other={answers[side === "left" ? "right" : "left"].data ?? null}
                  onPick={(ref) => void choose({ [side]: ref })}
                />
              ) : error ? (
                <Failure code={failureOf(error).code} title="This output cannot be compared">
                  {failureOf(error).message}{" "}
                  <button type="button" className="link" onClick={() => void choose({ [side]: null })}>
                    Choose another
                  </button>
                </Failure>
              ) : data ? (
                <Head side={data} onChange={() => void choose({ [side]: null })} />
              ) : (
                <Loading rows={1} height={44} label={`Loading the ${side} side`} />
              )}
            </section>
          );
        })}
      </div>
      {left.data && right.data && chosen.left !== null && chosen.right !== null && (
        <Difference
          left={left.data}
          right={right.data}
          show={chosen.show}
          json={chosen.json}
          choose={(change) => void choose(change)}
        />
      )}
    </div>
  );
}

function Head({ side, onChange }: { side: CompareSide; onChange: () => void }) {
  return (
    <>
      <p className="flex items-center gap-2">
        <Link className="link min-w-0 truncate font-medium" href={side.href}>
          <SafeText text={side.name} />
        </Link>
        <Button small kind="quiet" onClick={onChange}>
          Change
        </Button>
        <a className="link text-12" href={side.rawHref} download>
          Download
        </a>
      </p>
      <p className="truncate text-12 text-ink-3">
        {side.id === null ? "text in the log" : <span className="mono">{side.id}</span>}, {formatBytes(side.sizeBytes)}
        {side.lineCount !== null && `, ${formatCount(side.lineCount, "line")}`}
        {side.at !== null && (
          <>
            , <When ts={side.at} />
          </>
        )}
        {side.seq !== null && (
          <>
            ,{" "}
            <Link className="link underline" href={eventHref(side.sessionId, side.seq)}>
              event {side.seq}
            </Link>
          </>
        )}
      </p>
    </>
  );
}

type DifferenceProps = {
  left: CompareSide;
  right: CompareSide;
  show: "split" | "unified";
  json: Layout | null;
  choose: (change: { show?: "split" | "unified"; json?: Layout }) => void;
};

function Difference({ left, right, show, json, choose }: DifferenceProps) {
  const canLayOut = left.json !== null && right.json !== null;
  // A document of one line would differ in that line and say nothing.
  const layout = canLayOut ? (json ?? "laid") : null;
  const ask = useMemo<DiffAsk>(
    () => ({ left: sourceOf(left), right: sourceOf(right), layout: layout ?? "stored" }),
    [left, right, layout],
  );
  const gone = [left, right].find((side) => side.gone !== null);
  if (gone)
    return (
      <Said>
        <SafeText text={gone.name} /> can no longer be read: {gone.gone}.
      </Said>
    );
  if (left.identity === right.identity)
    return (
      <Said>
        They are identical: {formatBytes(left.sizeBytes)}
        {left.id !== null && (
          <>
            {" "}
            with the digest <span className="mono break-all">{left.identity}</span>
          </>
        )}
        .
      </Said>
    );
  if (left.isImage && right.isImage) return <ImageCompare left={left} right={right} />;
  if (!left.isText || !right.isText) return <ByteCompare sides={[left, right]} />;
  return (
    <DiffView
      ask={ask}
      mode={show}
      onMode={(next) => choose({ show: next })}
      layout={layout}
      onLayout={(next) => choose({ json: next })}
    />
  );
}

function Said({ children }: { children: ReactNode }) {
  return <p className="border-t border-line px-6 py-4 text-ink-2 max-md:px-4">{children}</p>;
}

const sourceOf = ({ rawHref, sizeBytes, json }: CompareSide): SideSource => ({ url: rawHref, bytes: sizeBytes, json });
