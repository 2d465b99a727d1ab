// What came of a program, on its way to who asked: as one text, or in pieces while the program runs. Both are cut where
// reading goes on well: at a line end when one is near, else between two characters.

/** Takes what came in any pieces; true for a cut at its end. */
export type JqOutlet = {
  add(bytes: Buffer): void | Promise<void>;
  end(isCut: boolean): void | Promise<void>;
  /** What was not given away piece by piece. */
  readonly text: string;
};

/** So much is held back for a line end to come. */
const LINE_BYTES = 64 * 1024;

export function wholeOutlet(): JqOutlet {
  const kept: Buffer[] = [];
  let text = "";
  return {
    add: (bytes) => void kept.push(bytes),
    end(isCut) {
      const bytes = Buffer.concat(kept.splice(0));
      // A program that was stopped may have been in the middle of a character.
      text = (isCut ? cutOf(bytes) : bytes.subarray(0, wholeChars(bytes))).toString("utf8");
    },
    get text() {
      return text;
    },
  };
}

export function pieceOutlet(give: (text: string) => void | Promise<void>): JqOutlet {
  let held: Buffer = Buffer.alloc(0);
  let isGiven = false;
  /** What is held begins a line. */
  let isFresh = true;
  const pass = (bytes: Buffer): void | Promise<void> => {
    if (bytes.length === 0) return;
    isGiven = true;
    isFresh = bytes[bytes.length - 1] === 10;
    return give(bytes.toString("utf8"));
  };
  return {
    add(bytes) {
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const lineEnd = all.lastIndexOf(10) + 1;
      const isLong = all.length - lineEnd > LINE_BYTES;
      const length = isLong ? wholeChars(all) : lineEnd;
      held = all.subarray(length);
      return pass(all.subarray(0, length));
    },
    end(isCut) {
      // The rest of a line that was cut: a value that is not whole, behind others that are.
      if (isCut && isGiven && isFresh) return;
      return pass(held.subarray(0, wholeChars(held)));
    },
    text: "",
  };
}

function cutOf(bytes: Buffer): Buffer {
  const lineEnd = bytes.lastIndexOf(10);
  return bytes.subarray(0, lineEnd >= bytes.length / 2 ? lineEnd + 1 : wholeChars(bytes));
}

/** How many of the bytes make whole characters. */
function wholeChars(bytes: Buffer): number {
  if (bytes.length === 0) return 0;
  let start = bytes.length;
  // The last character began at most four bytes ago; it stays when it is whole.
  do start--;
  while (start > 0 && start > bytes.length - 4 && (bytes[start]! & 0xc0) === 0x80);
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? start : bytes.length;
}
