/** The files that pages load, embedded in the executable and served under names that change with their content. */
import { sha256Hex } from "../lib/ids.ts";
import icon from "./assets/icon.svg" with { type: "text" };
import style from "./assets/style.css" with { type: "text" };
import { bundleClient } from "./bundle-client.ts" with { type: "macro" };

/** Made when the program is built. */
const client = bundleClient();

interface Asset {
  /** Address, with a hash of the content. */
  readonly path: string;
  readonly type: string;
  /** Gzip-compressed content. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

export type AssetName = "style" | "client" | "icon";

const SOURCES: Record<AssetName, { extension: string; type: string; content: string }> = {
  style: { extension: "css", type: "text/css; charset=utf-8", content: style },
  client: { extension: "js", type: "text/javascript; charset=utf-8", content: client },
  icon: { extension: "svg", type: "image/svg+xml", content: icon },
};

const made = new Map<AssetName, Asset>();

/** An asset, made when it is first asked for. */
function asset(name: AssetName): Asset {
  let found = made.get(name);
  if (!found) {
    const { extension, type, content } = SOURCES[name];
    const path = `/assets/${name}.${sha256Hex(content).slice(0, 12)}.${extension}`;
    found = { path, type, packed: Bun.gzipSync(content) };
    made.set(name, found);
  }
  return found;
}

/** The address of an asset, for pages. */
export const assetPath = (name: AssetName): string => asset(name).path;

/** The asset at an address; null when there is none. Clients may keep it for ever. */
export function serveAsset(request: Request, path: string): Response | null {
  const name = (Object.keys(SOURCES) as AssetName[]).find((candidate) => path.startsWith(`/assets/${candidate}.`));
  if (!name || asset(name).path !== path) return null;
  const { type, packed } = asset(name);
  const headers = {
    "Content-Type": type,
    "Cache-Control": "public, max-age=31536000, immutable",
    Vary: "Accept-Encoding",
  };
  if (/\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")) {
    return new Response(packed, { headers: { ...headers, "Content-Encoding": "gzip" } });
  }
  return new Response(Bun.gunzipSync(packed), { headers });
}
