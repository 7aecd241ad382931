/**
 * Static assets of pages, served under content-hashed names. The executable embeds them compressed; without an
 * executable they are bundled at the first page.
 */

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
  svg: "image/svg+xml",
};

/** Names of the files embedded in the executable: the asset's name and the extension of its compression. */
const EMBEDDED_NAME = /^(\w[\w.-]*\.(?:css|js|svg|json))\.(br|gz)\.packed$/;
/** The manifest of script imports. */
const IMPORTS_FILE = "imports.json";

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
  const { br, gzip } = found.encodings;
  if (br && /\bbr\b/.test(accepted)) return encodedResponse(br, { ...headers, "Content-Encoding": "br" });
  if (gzip && /\bgzip\b/.test(accepted)) return encodedResponse(gzip, { ...headers, "Content-Encoding": "gzip" });
  return new Response(await textOf(found), { headers });
}

async function textOf(asset: Asset | undefined): Promise<string> {
  const gzip = asset?.encodings.gzip;
  return gzip ? new TextDecoder().decode(Bun.gunzipSync(await gzip.arrayBuffer())) : "";
}

async function encodedResponse(content: Blob, headers: Record<string, string>): Promise<Response> {
  return new Response(await content.arrayBuffer(), { headers });
}

async function loadAll(): Promise<void> {
  const embedded = embeddedFiles();
  const files = embedded.size > 0 ? embedded : await bundleFromSources();
  const named = [...files].map(([name, forms]) => [shortName(name), assetOf(name, forms)] as const);
  assets = new Map(named);
  assetsByPath = new Map(named.map(([, asset]) => [asset.path, asset]));
  const importNames = JSON.parse(await textOf(assets.get(IMPORTS_FILE))) as Record<string, readonly string[]>;
  const addresses = (names: readonly string[]) => names.map((name) => `/assets/${name}`);
  importsByPath = new Map(Object.entries(importNames).map(([name, needed]) => [`/assets/${name}`, addresses(needed)]));
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
    const [, name, ending] = EMBEDDED_NAME.exec((blob.name ?? "").replace(/^.*\//, "")) ?? [];
    if (name) files.set(name, { ...files.get(name), [ending === "br" ? "br" : "gzip"]: blob });
  }
  return files;
}

async function bundleFromSources(): Promise<EncodedFiles> {
  const { bundleAssets } = await import("./bundle.ts");
  const bundled = await bundleAssets();
  return new Map(bundled.map(({ name, content }) => [name, { gzip: new Blob([Bun.gzipSync(content)]) }]));
}
