"use client";
// The buttons over the treemap: play, step, speed, the scale, and the moment as a picture.
import { ChevronLeft, ChevronRight, Pause, Play as PlayIcon } from "lucide-react";
import type { LoadCursor } from "../shared/load-cursor.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { SPEEDS, type Play, type Speed } from "./use-play.ts";

type PlayerProps = {
  play: Play;
  cursor: LoadCursor;
  /** Room in proportion to the load line; null where none is known. */
  toLine: boolean | null;
  onToLine: (toLine: boolean) => void;
  onSave: () => void;
};

export function Player({ play, cursor, toLine, onToLine, onSave }: PlayerProps) {
  const { view, index, goToCall } = cursor;
  const step = (by: 1 | -1) => () => {
    const call = view.calls[index + by]?.call;
    if (call !== undefined) goToCall(call);
  };
  return (
    <span className="flex flex-none flex-wrap items-center gap-1">
      <IconButton label="Previous call" onClick={step(-1)} disabled={play.isPlaying || index === 0}>
        <ChevronLeft size={14} aria-hidden="true" />
      </IconButton>
      <IconButton label={play.isPlaying ? "Pause" : "Play"} onClick={play.toggle}>
        {play.isPlaying ? <Pause size={14} aria-hidden="true" /> : <PlayIcon size={14} aria-hidden="true" />}
      </IconButton>
      <IconButton label="Next call" onClick={step(1)} disabled={play.isPlaying || index >= view.calls.length - 1}>
        <ChevronRight size={14} aria-hidden="true" />
      </IconButton>
      <Segmented
        label="Calls per second"
        value={String(play.speed)}
        options={SPEEDS.map((speed) => ({ value: String(speed), label: `${speed}/s` }))}
        onPick={(speed) => play.setSpeed(Number(speed) as Speed)}
      />
      {toLine !== null && (
        <Button
          small
          kind="quiet"
          aria-pressed={toLine}
          title="Empty room is what is left to the load line"
          className="aria-pressed:bg-select"
          onClick={() => onToLine(!toLine)}
        >
          Scale to line
        </Button>
      )}
      <Button small kind="quiet" onClick={onSave}>
        Save SVG
      </Button>
    </span>
  );
}
