/**
 * The files that pages load, served under names that change with their content. The executable carries them compressed
 * and reads them from itself when they are asked for; without one they are bundled at the first page.
 */

/** One form of a file. */
type ContentCoding = "br" | "gzip";

interface Asset {
  /** Under which it is served. */
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

/** What files are called inside of the executable: after their name there, and the ending of their compression. */
const EMBEDDED_NAME = /^(\w[\w.-]*\.(?:css|js|svg|json))\.(br|gz)\.packed$/;
/** The file that tells which scripts a script imports. */
const IMPORTS_FILE = "imports.json";

/** By the name without the hash, `home.js`; chunks by their whole name. */
let assets: ReadonlyMap<string, Asset> = new Map();
let assetsByPath: ReadonlyMap<string, Asset> = new Map();
/** By the address of a script the addresses of what it imports. */
let importsByPath: ReadonlyMap<string, readonly string[]> = new Map();
let loading: Promise<void> | undefined;

/** Has to be awaited once before any of the rest. */
export const loadAssets = (): Promise<void> => (loading ??= loadAll());

/**
 * The address of a file, for pages: `page.js`, `base.css`, `icon.svg`.
 * @throws Error when there is none of that name
 */
export function assetPath(name: string): string {
  const found = assets.get(name);
  if (!found) throw new Error(`there is no asset ${name}`);
  return found.path;
}

/**
 * The addresses of all that scripts import, each once: browsers would find out only from the scripts themselves, one
 * after the other.
 */
export const preloadPaths = (...names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => importsByPath.get(assetPath(name)) ?? [])),
];

export const hasAsset = (name: string): boolean => assets.has(name);

/** The asset at an address; null when there is none. Clients may keep it for ever. */
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

/** What the build has put into the executable; nothing when the program runs from its sources. */
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
