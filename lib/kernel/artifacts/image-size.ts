// Width and height from the first bytes of PNG, GIF, JPEG and WebP: the weight of an image in a context
// depends on them (width × height ÷ 750 tokens, at most about 1,600 for Claude).

export type Size = { readonly width: number; readonly height: number };

export function imageSize(bytes: Uint8Array): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 30) return null;
  if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) };
  if (view.getUint32(0) === 0x47494638) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (view.getUint16(0) === 0xffd8) return jpegSize(view);
  if (view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250) return webpSize(view);
  return null;
}

/** Walks the segments to the frame header (SOF0 to SOF15, without the four that are not frames). */
function jpegSize(view: DataView): Size | null {
  for (let at = 2; at + 9 < view.byteLength && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

function webpSize(view: DataView): Size | null {
  const kind = view.getUint32(12);
  if (kind === 0x56503820)
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (kind === 0x56503858) return { width: u24(view, 24) + 1, height: u24(view, 27) + 1 };
  return null;
}

const u24 = (view: DataView, at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
