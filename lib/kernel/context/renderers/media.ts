// Images, sound and film of a message: bytes in a data: URL, an address on the web, or something that only its position
// names (a path, an artifact), which the caller may turn into bytes.
import type { Message } from "../message.ts";
import type { ImageType } from "./provider-requests.ts";
import type { RenderOptions } from "./renderer-options.ts";

export type MediaKind = "image" | "audio" | "video";
export type Media = { readonly kind: MediaKind; readonly url: string } & (
  | { readonly form: "data"; readonly mimeType: string; readonly base64: string }
  | { readonly form: "web"; readonly mimeType: string | null }
  | { readonly form: "unknown" }
);

/** In the order that they stand in: images, sound, film. A data: URL without a byte is nothing. */
export function mediaOf(message: Message, options: RenderOptions): Media[] {
  const all = [
    ...(message.imageUrls ?? []).map((url) => ({ kind: "image" as const, url })),
    ...(message.audioUrls ?? []).map((url) => ({ kind: "audio" as const, url })),
    ...(message.videoUrls ?? []).map((url) => ({ kind: "video" as const, url })),
  ];
  return all.flatMap(({ kind, url }) => read(kind, url, options));
}

function read(kind: MediaKind, given: string, { mediaOf: resolve }: RenderOptions): Media[] {
  const url = isAddress(given) ? given : (resolve?.(given) ?? given);
  if (/^data:/i.test(url)) {
    const found = parseDataUrl(url);
    if (found === null) return [{ kind, url: "data:", form: "unknown" }];
    return found.base64 === "" ? [] : [{ kind, url, form: "data", ...found }];
  }
  if (/^(?:https?|gs):/i.test(url)) return [{ kind, url, form: "web", mimeType: mimeTypeOfName(url) }];
  return [{ kind, url, form: "unknown" }];
}

const isAddress = (url: string): boolean => /^(?:data|https?|gs):/i.test(url);

/** Type and base64 of a data: URL; text that is not base64 is made so. Null where it is none. */
export function parseDataUrl(url: string): { readonly mimeType: string; readonly base64: string } | null {
  const comma = url.indexOf(",");
  if (comma < 0) return null;
  const [type = "", ...parameters] = url.slice(5, comma).split(";");
  const body = url.slice(comma + 1);
  const mimeType = type.trim().toLowerCase() || "text/plain";
  if (parameters.some((one) => one.trim().toLowerCase() === "base64"))
    return /^[A-Za-z0-9+/]*={0,2}$/.test(body) ? { mimeType, base64: body } : null;
  return { mimeType, base64: base64Of(body) };
}

function base64Of(percentEncoded: string): string {
  let text = percentEncoded;
  try {
    text = decodeURIComponent(percentEncoded);
  } catch {
    // Not percent-encoded after all: its characters stand for themselves.
  }
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  mp4: "video/mp4",
  webm: "video/webm",
  mov: "video/quicktime",
};

function mimeTypeOfName(url: string): string | null {
  const ending = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(url)?.[1]?.toLowerCase();
  return ending === undefined || !Object.hasOwn(TYPES, ending) ? null : TYPES[ending]!;
}

const IMAGES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"] satisfies ImageType[];

/** The image's type where it is one that every provider reads, else null. */
export const commonImage = (media: Media): ImageType | null =>
  media.kind === "image" && media.form === "data" && IMAGES.includes(media.mimeType)
    ? (media.mimeType as ImageType)
    : null;

/** The address of an image that a provider fetches or reads itself, or null. */
export function imageAddress(media: Media): string | null {
  if (media.form === "data" && commonImage(media) !== null) return `data:${media.mimeType};base64,${media.base64}`;
  return media.kind === "image" && media.form === "web" && /^https?:/i.test(media.url) ? media.url : null;
}

/** Words in place of media that nobody could read: the model is told that something was there. */
export const unreadable = (media: Media): string => `[${media.kind} not available: ${media.url.slice(0, 200)}]`;
