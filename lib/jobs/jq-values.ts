// Reads what jq writes byte by byte: counts its values, and does the work of -r. jq's own -r leaves no trace of where a
// string ends, so strings come quoted and lose their quotes here. A value of jq ends at the newline of a line that stands at
// the margin and is not an opening bracket alone; strings have no newline in them, and what is inside a value is indented.

const [NEWLINE, SPACE, QUOTE, BACKSLASH, SQUARE, CURLY] = [10, 32, 34, 92, 91, 123] as const;
const ESCAPED: Readonly<Record<string, number>> = { b: 8, t: 9, n: NEWLINE, f: 12, r: 13 };

/** Takes pieces that end anywhere. `give` gets what is to be shown; a piece is only good until it returns. */
export function valueReader(
  isRaw: boolean,
  give: (piece: Uint8Array) => void,
  count: (values: number) => void,
): (piece: Uint8Array) => void {
  /** Of the line that is open. */
  let first = 0;
  let length = 0;
  let isInString = false;
  /** What came of an escape that is open, without its backslash. */
  let escape: string | null = null;

  return (piece) => {
    let values = 0;
    /** Up to here the piece was given. */
    let given = 0;
    const giveTo = (end: number, next: number): void => {
      if (end > given) give(piece.subarray(given, end));
      given = next;
    };
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i]!;
      if (escape !== null) {
        escape += String.fromCharCode(byte);
        given = i + 1;
        if (escape[0] === "u" && escape.length < 5) continue;
        give(unescaped(escape));
        escape = null;
      } else if (isInString) {
        if (byte === QUOTE) {
          giveTo(i, i + 1);
          isInString = false;
        } else if (byte === BACKSLASH) {
          giveTo(i, i + 1);
          escape = "";
        }
      } else if (byte === NEWLINE) {
        const isOpening = length === 1 && (first === SQUARE || first === CURLY);
        if (first !== SPACE && !isOpening) values++;
        length = 0;
      } else if (length === 0) {
        first = byte;
        length = 1;
        if (isRaw && byte === QUOTE) {
          giveTo(i, i + 1);
          isInString = true;
        }
      } else length = 2;
    }
    giveTo(piece.length, 0);
    if (values > 0) count(values);
  };
}

function unescaped(escape: string): Uint8Array {
  if (escape[0] === "u") return Buffer.from(String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
  return Uint8Array.of(ESCAPED[escape] ?? escape.charCodeAt(0));
}
