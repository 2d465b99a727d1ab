"use client";
// The tree of a document as it is unfolded, the row that is chosen, and their way into the address and back.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useCallback, useEffect, useRef, useState } from "react";
import { pathText } from "#lib/kernel/json-index/path-text.ts";
import type { JsonLocation, JsonRow } from "#lib/wire/json-tree-schema.ts";
import {
  fold,
  nodeAt,
  rowCount,
  rowOfTrail,
  slotsBetween,
  stepsAlong,
  unfold,
  unfolded,
  unfoldedAll,
  type Slot,
  type Trail,
  type Unfolded,
} from "./open-tree.ts";
import { failureOf } from "../ui/api.ts";
import { belowQuery, locationQuery, rowsQuery, topQuery, type Source } from "./tree-queries.ts";

export function useTree(source: Source) {
  const queries = useQueryClient();
  const top = useQuery(topQuery(source));
  const [path, setPath] = useQueryState("path", parseAsString.withOptions({ throttleMs: 250 }));
  const [opened, setOpened] = useState<Unfolded | null>(null);
  const [chosen, setChosen] = useState<Trail>([]);
  const [shown, setShown] = useState({ row: 0, serial: 0 });
  const [said, setSaid] = useState<string | null>(null);
  const written = useRef<string | null>(null);
  /** What the address led to. It stays as it was given, also where it leads too far, until something else is chosen. */
  const arrived = useRef<string | null>(null);

  const node = top.data?.node;
  const isWhole = top.data?.state.isWhole ?? false;
  // While the index is being made the document has more children with each answer.
  const tree =
    node === undefined
      ? null
      : opened === null
        ? unfolded(node)
        : { ...opened, count: node.count, rows: opened.rows - opened.count + node.count };
  const now = useRef(tree);
  useEffect(() => {
    now.current = tree;
  });

  const change = useCallback((next: Unfolded) => {
    now.current = next;
    setOpened(next);
  }, []);

  const show = useCallback((trail: Trail) => {
    if (now.current === null) return;
    setChosen(trail);
    setShown(({ serial }) => ({ row: rowOfTrail(now.current!, trail), serial: serial + 1 }));
  }, []);

  const chooseRow = useCallback(
    (row: number) => {
      if (now.current === null) return;
      const [slot] = slotsBetween(now.current, row, row + 1);
      if (slot) show(slot.trail);
    },
    [show],
  );

  /** What was asked for did not come: the tree stays as it is. */
  const refused = useCallback((error: unknown) => {
    setSaid(failureOf(error).message);
    return null;
  }, []);

  const toggle = useCallback(
    async (slot: Slot, row: JsonRow | undefined) => {
      if (now.current === null || slot.trail.length === 0 || row === undefined) return;
      if (slot.self !== null) return change(fold(now.current, slot.trail));
      // The answer waits for the index, and has the final count with the first rows.
      const answer = await queries.fetchQuery(rowsQuery(source, row.at, 0)).catch(refused);
      if (answer === null) return;
      setSaid(null);
      change(
        unfold(
          now.current,
          slot.trail,
          unfolded({ ...answer.node, ordinal: slot.ordinal, key: row.key, keyChars: row.keyChars }),
        ),
      );
    },
    [queries, source, change, refused],
  );

  /** Unfolds what is around a location, and goes there. */
  const reveal = useCallback(
    (location: JsonLocation) => {
      let next = now.current;
      if (next === null) return [];
      const below = next.at === -1 ? location.chain : location.chain.slice(1);
      const trail = below.map(({ ordinal }) => ordinal);
      below.slice(0, -1).forEach((row, level) => {
        const to = trail.slice(0, level + 1);
        if (nodeAt(next!, to) === null) next = unfold(next!, to, unfolded(row));
      });
      change(next);
      show(trail);
      return trail;
    },
    [change, show],
  );

  const unfoldBelow = useCallback(
    async (slot: Slot | undefined, row: JsonRow | undefined) => {
      if (now.current === null) return;
      const at = slot?.trail.length ? row?.at : now.current.at;
      if (at === undefined) return;
      const answer = await queries.fetchQuery(belowQuery(source, at)).catch(refused);
      if (answer === null) return;
      const { containers, isWhole: isAll } = answer;
      const trail = slot?.trail ?? [];
      const self =
        trail.length === 0 ? now.current : unfolded({ ...containers[0]!, key: row?.key, keyChars: row?.keyChars });
      change(unfold(now.current, trail, unfoldedAll(self, containers)));
      setSaid(
        isAll
          ? null
          : `${containers.length.toLocaleString("en-US")} values are unfolded, those nearest first; the rest stays folded`,
      );
      show(trail);
    },
    [queries, source, change, show, refused],
  );

  const foldAll = useCallback(() => {
    if (now.current === null) return;
    change(fold(now.current, []));
    setSaid(null);
    show(chosen.slice(0, 1));
  }, [change, show, chosen]);

  // The address changed by another hand: a link, Back, the text beside it.
  const location = useQuery(locationQuery(source, path));
  const found = path !== null && !location.isPlaceholderData ? location.data?.location : null;
  useEffect(() => {
    if (!isWhole || path === written.current || !found) return;
    written.current = path;
    arrived.current = reveal(found).join();
  }, [isWhole, path, found, reveal]);

  /** What is chosen goes into the address, once it is known what it is. */
  const tell = useCallback(
    (row: JsonRow) => {
      if (now.current === null || arrived.current === chosen.join()) return;
      arrived.current = null;
      const steps = row.marks.includes("sameKey") ? null : stepsAlong(now.current, chosen, row);
      const text = chosen.length === 0 ? "." : steps === null ? null : pathText(steps);
      const next = text === null || text.length > 1500 ? `@${row.at}` : text;
      if (
        next === written.current ||
        (written.current === null && path !== null) ||
        (written.current === null && next === ".")
      )
        return;
      written.current = next;
      void setPath(next);
    },
    [chosen, path, setPath],
  );

  return {
    top,
    tree,
    isWhole,
    chosen,
    shown,
    said,
    path,
    rows: tree === null ? 0 : rowCount(tree),
    chooseRow,
    toggle,
    reveal,
    unfoldBelow,
    foldAll,
    tell,
    show,
  };
}
