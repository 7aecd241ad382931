/**
 * Static assets of pages, served under content-hashed names. The executable embeds them compressed; without an
 * executable they are bundled at the first page.
 */

import { promisify } from "node:util";
import { brotliCompress, brotliDecompressSync, constants } from "node:zlib";
import { sha256Hex } from "../lib/ids.ts";
import { LANGUAGE_TAGS, messagesFor } from "./texts/languages.ts";

/** Set by the build. Tested here, instead of importing a constant, so that the bundler is left out of the executable. */
declare const QUERN_BUILD: string | undefined;

/** One encoding of a file. */
type ContentCoding = "br" | "gzip";

interface Asset {
  /** The URL path that it is served under. */
  readonly path: string;
  readonly type: string;
  readonly encodings: Partial<Record<ContentCoding, Blob>>;
}

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
};

/** Names of the files embedded in the executable: the asset's name and the extension of its compression. */
const EMBEDDED_NAME = /^(\w[\w.-]*\.(?:css|js|svg|json|png))\.br\.packed$/;
/** The manifest of script imports. */
const IMPORTS_FILE = "imports.json";
/** The manifest of the texts that scripts use. */
const TEXT_KEYS_FILE = "text-keys.json";

/** By the name without the hash, `home.js`; chunks by their full name. */
let assets: ReadonlyMap<string, Asset> = new Map();
let assetsByPath: ReadonlyMap<string, Asset> = new Map();
/** By the URL of a script, the URLs of its transitive imports. */
let importsByPath: ReadonlyMap<string, readonly string[]> = new Map();
let loading: Promise<void> | undefined;

/** Must be awaited once before any other function of this module. */
export const loadAssets = (): Promise<void> => (loading ??= loadAll());

/**
 * Returns the URL of an asset: `page.js`, `base.css`, `icon.svg`.
 * @throws Error for an unknown name
 */
export function assetPath(name: string): string {
  const found = assets.get(name);
  if (!found) throw new Error(`unknown asset ${name}`);
  return found.path;
}

/**
 * Returns the URLs of all transitive imports of scripts, each once, for `modulepreload`: otherwise browsers discover
 * them one script after another.
 */
export const preloadPaths = (...names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => importsByPath.get(assetPath(name)) ?? [])),
];

/** Returns the URL of the texts in a language for a page's own script, `home.js`, and the script of all pages. */
export const textsPath = (script: string | null, language: string): string =>
  assetPath(textsName(script ?? COMMON_SCRIPT, language));

const COMMON_SCRIPT = "page.js";
const textsName = (script: string, language: string): string => `texts-${script.replace(".js", "")}.${language}.js`;

export const hasAsset = (name: string): boolean => assets.has(name);

/** Returns the asset at a URL; null when unknown. Clients may cache it indefinitely. */
export async function serveAsset(request: Request, path: string): Promise<Response | null> {
  const found = assetsByPath.get(path);
  if (!found) return null;
  const headers = {
    "Content-Type": found.type,
    "Cache-Control": "public, max-age=31536000, immutable",
    Vary: "Accept-Encoding",
  };
  const accepted = request.headers.get("accept-encoding") ?? "";
  for (const coding of ["br", "gzip"] as const) {
    if (!new RegExp(`\\b${coding}\\b`).test(accepted)) continue;
    return new Response(await encoded(found, coding), { headers: { ...headers, "Content-Encoding": coding } });
  }
  return new Response(await contentOf(found), { headers });
}

const derived = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/**
 * Returns an asset in a coding. The executable has one coding of each, which saves a megabyte: the other one is made at the
 * first request for it, and kept.
 */
async function encoded(asset: Asset, coding: ContentCoding): Promise<Uint8Array<ArrayBuffer>> {
  const given = asset.encodings[coding];
  if (given) return new Uint8Array(await given.arrayBuffer());
  const key = `${asset.path} ${coding}`;
  const made = derived.get(key) ?? contentOf(asset).then(coding === "br" ? compressed : gzipped);
  derived.set(key, made);
  return made;
}

const gzipped = (content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => Bun.gzipSync(content);

/** Takes a tenth of the time of the best quality, which saves two percent more. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 9 };

const compressed = async (content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await promisify(brotliCompress)(content, { params: QUALITY }));

/**
 * Returns the content of a JSON asset; null for an unknown name. Decompressed at every call: what is rarely read costs
 * no memory in between.
 */
export const readJsonAsset = <T>(name: string): Promise<T | null> => parseJson(assets.get(name));

const parseJson = async <T>(asset: Asset | undefined): Promise<T | null> =>
  asset ? (JSON.parse(new TextDecoder().decode(await contentOf(asset))) as T) : null;

async function contentOf({ encodings: { br, gzip } }: Asset): Promise<Uint8Array<ArrayBuffer>> {
  if (br) return new Uint8Array(brotliDecompressSync(await br.arrayBuffer()));
  return gzip ? Bun.gunzipSync(await gzip.arrayBuffer()) : new Uint8Array();
}

async function loadAll(): Promise<void> {
  const files = typeof QUERN_BUILD === "string" ? embeddedFiles() : await bundleFromSources();
  const bundled = [...files].map(([name, forms]) => [shortName(name), assetOf(name, forms)] as const);
  const keys = (await parseJson<Record<string, string[]>>(new Map(bundled).get(TEXT_KEYS_FILE))) ?? {};
  const named = [...bundled, ...textAssets(keys)];
  assets = new Map(named);
  assetsByPath = new Map(named.map(([, asset]) => [asset.path, asset]));
  const importNames = (await readJsonAsset<Record<string, readonly string[]>>(IMPORTS_FILE)) ?? {};
  const addresses = (names: readonly string[]) => names.map((name) => `/assets/${name}`);
  importsByPath = new Map(Object.entries(importNames).map(([name, needed]) => [`/assets/${name}`, addresses(needed)]));
}

/**
 * Creates the scripts that hold the texts of other scripts: one for each page and language, with the texts that the
 * page's scripts use. They are small, and made when the server starts, so that a language needs no build step.
 */
function textAssets(keysByScript: Readonly<Record<string, readonly string[]>>): [string, Asset][] {
  const keysOf = new Map(Object.entries(keysByScript).map(([name, keys]) => [shortName(name), keys]));
  const scripts = [...keysOf.keys()].filter((name) => !name.startsWith("chunk."));
  const common = keysOf.get(COMMON_SCRIPT) ?? [];
  return scripts.flatMap((script) =>
    LANGUAGE_TAGS.map((language): [string, Asset] => {
      const keys = [...new Set([...common, ...(keysOf.get(script) ?? [])])];
      const content = new TextEncoder().encode(`globalThis.quernTexts=${JSON.stringify(messagesFor(language, keys))}`);
      const name = textsName(script, language);
      const path = name.replace(/js$/, `${sha256Hex(content).slice(0, 8)}.js`);
      return [name, assetOf(path, { gzip: new Blob([Bun.gzipSync(content)]) })];
    }),
  );
}

const assetOf = (name: string, encodings: Asset["encodings"]): Asset => ({
  path: `/assets/${name}`,
  type: TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
  encodings,
});

/** `home.1a2b3c4d.js` → `home.js`. */
const shortName = (name: string): string => (name.startsWith("chunk.") ? name : name.replace(/\.\w+(\.\w+)$/, "$1"));

type EncodedFiles = Map<string, Asset["encodings"]>;

/** The assets embedded by the build; none when running from the sources. */
function embeddedFiles(): EncodedFiles {
  const files: EncodedFiles = new Map();
  for (const blob of Bun.embeddedFiles as readonly (Blob & { readonly name?: string })[]) {
    const [, name] = EMBEDDED_NAME.exec((blob.name ?? "").replace(/^.*\//, "")) ?? [];
    if (name) files.set(name, { br: blob });
  }
  return files;
}

async function bundleFromSources(): Promise<EncodedFiles> {
  const { bundleAssets } = await import("./bundle.ts");
  const bundled = await bundleAssets();
  return new Map(bundled.map(({ name, content }) => [name, { gzip: new Blob([Bun.gzipSync(content)]) }]));
}
