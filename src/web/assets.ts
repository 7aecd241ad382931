/**
 * The files that pages load, served under names that change with their content. The executable carries them compressed
 * and reads them from itself when they are asked for; without one they are bundled at the first page.
 */

/** One form of a file. */
type Coding = "br" | "gzip";

interface Asset {
  /** Under which it is served. */
  readonly path: string;
  readonly type: string;
  readonly packed: Partial<Record<Coding, Blob>>;
}

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
};

/** What files are called inside of the executable: after their name there, and the ending of their compression. */
const PACKED_NAME = /^(\w[\w.-]*\.(?:css|js|svg|json))\.(br|gz)\.packed$/;
/** The file that tells which scripts a script imports. */
const IMPORTS = "imports.json";

/** By the name without the hash, `home.js`; chunks by their whole name. */
let assets: ReadonlyMap<string, Asset> = new Map();
let byPath: ReadonlyMap<string, Asset> = new Map();
/** By the address of a script the addresses of what it imports. */
let imports: ReadonlyMap<string, readonly string[]> = new Map();
let loading: Promise<void> | undefined;

/** Has to be awaited once before any of the rest. */
export const loadAssets = (): Promise<void> => (loading ??= load());

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
export const importedBy = (...names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => imports.get(assetPath(name)) ?? [])),
];

export const hasAsset = (name: string): boolean => assets.has(name);

/** The asset at an address; null when there is none. Clients may keep it for ever. */
export async function serveAsset(request: Request, path: string): Promise<Response | null> {
  const found = byPath.get(path);
  if (!found) return null;
  const headers = {
    "Content-Type": found.type,
    "Cache-Control": "public, max-age=31536000, immutable",
    Vary: "Accept-Encoding",
  };
  const accepted = request.headers.get("accept-encoding") ?? "";
  const { br, gzip } = found.packed;
  if (br && /\bbr\b/.test(accepted)) return packedAnswer(br, { ...headers, "Content-Encoding": "br" });
  if (gzip && /\bgzip\b/.test(accepted)) return packedAnswer(gzip, { ...headers, "Content-Encoding": "gzip" });
  return new Response(await textOf(found), { headers });
}

async function textOf(asset: Asset | undefined): Promise<string> {
  const gzip = asset?.packed.gzip;
  return gzip ? new TextDecoder().decode(Bun.gunzipSync(await gzip.arrayBuffer())) : "";
}

async function packedAnswer(content: Blob, headers: Record<string, string>): Promise<Response> {
  return new Response(await content.arrayBuffer(), { headers });
}

async function load(): Promise<void> {
  const packed = inExecutable();
  const files = packed.size > 0 ? packed : await fromSources();
  const found = [...files].map(([name, forms]) => [shortName(name), assetOf(name, forms)] as const);
  assets = new Map(found);
  byPath = new Map(found.map(([, asset]) => [asset.path, asset]));
  const listed = JSON.parse(await textOf(assets.get(IMPORTS))) as Record<string, readonly string[]>;
  const addresses = (names: readonly string[]) => names.map((name) => `/assets/${name}`);
  imports = new Map(Object.entries(listed).map(([name, needed]) => [`/assets/${name}`, addresses(needed)]));
}

const assetOf = (name: string, packed: Asset["packed"]): Asset => ({
  path: `/assets/${name}`,
  type: TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
  packed,
});

/** `home.1a2b3c4d.js` → `home.js`. */
const shortName = (name: string): string => (name.startsWith("chunk.") ? name : name.replace(/\.\w+(\.\w+)$/, "$1"));

type Files = Map<string, Asset["packed"]>;

/** What the build has put into the executable; nothing when the program runs from its sources. */
function inExecutable(): Files {
  const files: Files = new Map();
  for (const blob of Bun.embeddedFiles as readonly (Blob & { readonly name?: string })[]) {
    const [, name, ending] = PACKED_NAME.exec((blob.name ?? "").replace(/^.*\//, "")) ?? [];
    if (name) files.set(name, { ...files.get(name), [ending === "br" ? "br" : "gzip"]: blob });
  }
  return files;
}

async function fromSources(): Promise<Files> {
  const { bundleAssets } = await import("./bundle.ts");
  const bundled = await bundleAssets();
  return new Map(bundled.map(({ name, content }) => [name, { gzip: new Blob([Bun.gzipSync(content)]) }]));
}
