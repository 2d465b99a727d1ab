"use client";
// What if another policy had stood: its sliders, and what it would have come to.
import Link from "next/link";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { LoadView } from "../shared/load-view.ts";
import { usePolicy } from "../shared/url-state.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Outcomes } from "./outcomes.tsx";
import {
  FIRST_POLICY,
  isClearing,
  isNothing,
  isPreset,
  OFF,
  POLICY_PRESETS,
  STOPS,
  WORDS,
  type OrOff,
  type PolicyChoice,
  type PolicyPreset,
  commandText,
  contextEditingText,
  offloadPolicyText,
  policyOf,
} from "../shared/policy-state.ts";
import { Slider, type SliderOf } from "./slider.tsx";
import { useWhatIf } from "./use-overlay.ts";
import { Copy } from "lucide-react";
import { useState } from "react";
import { useSession } from "../shared/session-context.tsx";
import type { MenuItem } from "../ui/menu-item.ts";
import { Menu } from "../ui/menu.tsx";

const SLIDERS = {
  offload: { label: "Offload results over", stops: STOPS.offload, words: WORDS.offload },
  trigger: { label: "Clear when the prompt reaches", stops: STOPS.trigger, words: WORDS.when },
  free: { label: "Clear the oldest until free", stops: STOPS.free, words: WORDS.until },
  mask: { label: "Keep newest results", stops: STOPS.mask, words: WORDS.mask },
  reread: { label: "Read back", stops: STOPS.reread, words: WORDS.share },
  envelope: { label: "Size of an envelope", stops: STOPS.envelope, words: WORDS.tokens },
  hysteresis: { label: "Clear at least at once", stops: STOPS.hysteresis, words: WORDS.tokens },
  ratio: { label: "Compact at", stops: STOPS.ratio, words: WORDS.ratio },
  tail: { label: "Turns left whole", stops: STOPS.tail, words: WORDS.turns },
  summary: { label: "Size of the summary", stops: STOPS.summary, words: WORDS.tokens },
} as const satisfies Record<string, SliderOf>;

type WhatIfProps = { view: LoadView; ledger: LedgerAnswer | undefined };

export function WhatIf({ view, ledger }: WhatIfProps) {
  const [choice, choose] = usePolicy();
  const answer = useWhatIf();
  const seesAll = useSeesAll();
  const nothing = isNothing(choice);
  const { ratio, offload } = choice;
  const swaps = offload === OFF ? "Nothing is offloaded" : undefined;
  const unmasked = !isClearing(choice) ? "No result is cleared" : undefined;
  const uncut = ratio === OFF ? "Compacts where the agent did" : undefined;
  const put = (name: keyof typeof SLIDERS, idle?: string) => (
    <Slider
      of={SLIDERS[name]}
      value={choice[name]}
      idle={idle}
      onPick={(value: OrOff) => void choose({ [name]: value })}
    />
  );
  return (
    <>
      <div className="flex flex-wrap items-center gap-1">
        <h2 className="flex-1 text-15 font-semibold">What if</h2>
        {!nothing && (
          <Button small kind="quiet" onClick={() => void choose(null)}>
            Reset
          </Button>
        )}
        <CopyPolicy choice={choice} />
      </div>
      <Presets choice={choice} onPick={(preset) => void choose({ ...FIRST_POLICY, keep: [], drop: [], ...preset })} />
      {put("offload")}
      {put("mask")}
      {put("reread", swaps)}
      <Switch on={choice.dedupe} onPick={(dedupe) => void choose({ dedupe })}>
        De-duplicate identical outputs
      </Switch>
      <details className="mt-1.5">
        <summary className="cursor-pointer text-12 text-ink-2 hover:text-ink">Envelope, clearing, compaction</summary>
        {put("envelope", swaps)}
        {put("trigger")}
        {put("free")}
        {put("hysteresis", unmasked)}
        <label className="mt-2 flex items-center justify-between gap-2 text-12 text-ink-2">
          Clear from call
          <input
            type="number"
            min={1}
            value={choice.since}
            disabled={!isClearing(choice)}
            onChange={(event) => void choose({ since: Math.max(1, Math.floor(event.target.valueAsNumber || 1)) })}
            className="num h-6 w-20 rounded-1 border border-control bg-bg px-1.5 text-ink disabled:text-ink-3"
          />
        </label>
        <label className="mt-2 block text-12 text-ink-2">
          Never clear results of (comma-separated)
          <input
            value={choice.keep.join(", ")}
            disabled={!isClearing(choice)}
            onChange={(event) => void choose({ keep: toolsIn(event.target.value) })}
            className="mt-0.5 h-6 w-full rounded-1 border border-control bg-bg px-1.5 text-ink disabled:text-ink-3"
          />
        </label>
        {put("ratio")}
        {put("tail", uncut)}
        {put("summary", uncut)}
        <Schemas ledger={ledger} choice={choice} onPick={(drop) => void choose({ drop: [...drop] })} />
      </details>
      {nothing ? (
        <p className="mt-3 text-12 text-ink-3">
          The chart shows the real load. A preset or slider adds its prediction over it.
        </p>
      ) : answer.error ? (
        <div className="mt-3">
          <RequestFailure error={answer.error} title="The policy could not be replayed" />
        </div>
      ) : (
        <Outcomes answer={answer.data} isOld={answer.isPlaceholderData} isReported={!view.isEstimated} />
      )}
      {seesAll && (
        <p className="mt-2.5 text-12">
          <Link prefetch={false} href="/settings" className="link">
            Savings of each preset over all sessions
          </Link>
        </p>
      )}
    </>
  );
}

type PresetsProps = { choice: PolicyChoice; onPick: (preset: PolicyPreset) => void };

function Presets({ choice, onPick }: PresetsProps) {
  return (
    <fieldset className="mt-2 flex flex-wrap gap-1" aria-label="Presets">
      {POLICY_PRESETS.map((preset) => (
        <Button
          key={preset.label}
          small
          title={preset.title}
          aria-pressed={isPreset(choice, preset.choice)}
          className="aria-pressed:border-ink aria-pressed:bg-select"
          onClick={() => onPick(preset.choice)}
        >
          {preset.label}
        </Button>
      ))}
    </fieldset>
  );
}

const toolsIn = (text: string): string[] => text.split(",").map((name) => name.trimStart());

type SwitchProps = { on: boolean; onPick: (on: boolean) => void; children: string };

function Switch({ on, onPick, children }: SwitchProps) {
  return (
    <label className="mt-2 flex items-center gap-2 text-12 text-ink-2">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => onPick(event.target.checked)}
        className="size-3.5 accent-ink"
      />
      {children}
    </label>
  );
}

type SchemasProps = {
  ledger: LedgerAnswer | undefined;
  choice: PolicyChoice;
  onPick: (drop: readonly string[]) => void;
};

/** Tools whose schema was sent and that nobody called, where the file tells of them. */
function Schemas({ ledger, choice, onPick }: SchemasProps) {
  const named = (ledger?.culprits ?? []).flatMap(({ detector, tool }) =>
    detector === "unused-schemas" && tool !== null ? [tool] : [],
  );
  const tools = [...new Set([...named, ...choice.drop])];
  if (tools.length === 0) return null;
  return (
    <fieldset className="mt-3">
      <legend className="text-12 text-ink-2">Leave out tool schemas</legend>
      {tools.map((tool) => (
        <Switch
          key={tool}
          on={choice.drop.includes(tool)}
          onPick={(on) => onPick(on ? [...choice.drop, tool] : choice.drop.filter((other) => other !== tool))}
        >
          {tool}
        </Switch>
      ))}
    </fieldset>
  );
}

// The policy for elsewhere: our settings, an API that edits its own context, the command line.
const SAID_MS = 1600;

function CopyPolicy({ choice }: { choice: PolicyChoice }) {
  const { id } = useSession();
  const [said, setSaid] = useState("Copy policy");
  const copy = async (text: string) => {
    setSaid(
      await navigator.clipboard.writeText(text).then(
        () => "Copied",
        () => "Copy was refused",
      ),
    );
    setTimeout(() => setSaid("Copy policy"), SAID_MS);
  };
  const offload = offloadPolicyText(choice);
  const editing = contextEditingText(choice);
  const items: MenuItem[] = [
    ...(offload === null ? [] : [item("Offload policy, for PUT /api/settings/policy", offload)]),
    ...(editing === null ? [] : [item("Context editing, for the Messages API", editing)]),
    item("Command line", commandText(id, choice)),
    item("All numbers as JSON", JSON.stringify(policyOf(choice), null, 2)),
  ];
  function item(label: string, text: string): MenuItem {
    return { id: label, label, onPick: () => void copy(text) };
  }
  return (
    <Menu
      label="Copy policy"
      align="end"
      triggerClass={buttonClass("plain", true)}
      trigger={
        <>
          <Copy size={12} aria-hidden="true" />
          <span aria-live="polite">{said}</span>
        </>
      }
      items={items}
    />
  );
}
