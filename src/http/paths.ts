import { BoundedCache } from "../lib/bounded-cache.ts";
import type { SiteScope } from "../services/access/guards.ts";

/** Limits of the cache of canonical paths. */
export const PATH_CACHE_LIMITS = { maxEntries: 1000, maxKeyLength: 300 };

interface Node {
  /** Fixed child segments, by lower case, each in the spelling of its template. */
  readonly fixed: Map<string, { segment: string; node: Node }>;
  param?: Node;
}

export interface PathTree {
  /** Returns the path as the router expects it: fixed segments in the spelling of the templates. */
  canonical(path: string): string;
}

/**
 * Creates a tree of the templates' fixed segments. Clients write fixed segments in any case and sometimes with a
 * trailing slash, while ids are case-sensitive.
 * @param templates paths like `/api/docs/{docId}/tables`
 */
export function createPathTree(templates: Iterable<string>): PathTree {
  const root: Node = { fixed: new Map() };
  for (const template of templates) {
    let node = root;
    for (const segment of template.split("/").slice(1)) node = getOrAddChild(node, segment);
  }
  const cache = new BoundedCache<string, string>(PATH_CACHE_LIMITS);
  const canonicalize = (path: string) => canonicalPath(root, path);
  return { canonical: (path) => cache.get(path, canonicalize) };
}

function canonicalPath(root: Node, path: string): string {
  const segments = (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).split("/");
  let node: Node | undefined = root;
  for (let i = 1; i < segments.length && node; i++) {
    const next = node.fixed.get((segments[i] ?? "").toLowerCase());
    if (next) segments[i] = next.segment;
    node = next?.node ?? node.param;
  }
  return segments.join("/");
}

function getOrAddChild(node: Node, segment: string): Node {
  if (segment.startsWith("{")) return (node.param ??= { fixed: new Map() });
  const key = segment.toLowerCase();
  const found = node.fixed.get(key) ?? { segment, node: { fixed: new Map() } };
  node.fixed.set(key, found);
  return found.node;
}

export interface SiteAddressing {
  readonly baseDomain: string | null;
  readonly singleOrg: string | null;
}

export interface RequestTarget {
  readonly scope: SiteScope;
  /** The path after `/o/<domain>`, not yet canonical. */
  readonly path: string;
}

const PERSONAL_SCOPE: SiteScope = { kind: "personal" };

/** Clients of servers with several workers prefix API paths with `/dw/<worker>/v/<version>`. */
const WORKER_PREFIX = /^\/dw\/[^/]+(?:\/v\/[^/]+)?(?=\/(?:o\/[^/]+\/)?api\/)/i;

/** Links of published forms are also addressed as documents: `/api/docs/s.<key>`. */
const LINK_AS_DOCUMENT = /^\/api\/docs\/s\./i;

/**
 * Returns the site that a request addresses: `/o/<domain>` in the path, else the subdomain of the base domain, else the
 * configured single site, else the caller's personal site. `docs` names the personal site.
 */
export function resolveTarget(
  rawPath: string,
  host: string | null,
  { baseDomain, singleOrg }: SiteAddressing,
): RequestTarget {
  const { scope, path } = resolveSite(rawPath.replace(WORKER_PREFIX, ""), host, { baseDomain, singleOrg });
  return { scope, path: path.replace(LINK_AS_DOCUMENT, "/api/s/") };
}

function resolveSite(path: string, host: string | null, { baseDomain, singleOrg }: SiteAddressing): RequestTarget {
  const prefix = /^\/o\/([^/]+)(\/.*)?$/i.exec(path);
  if (prefix) return { scope: parseScope(decode(prefix[1] ?? "")), path: prefix[2] ?? "/" };
  if (baseDomain && host) {
    const name = host.replace(/:\d+$/, "").toLowerCase();
    if (name.endsWith(`.${baseDomain}`)) return { scope: parseScope(name.slice(0, -baseDomain.length - 1)), path };
  }
  return { scope: singleOrg ? parseScope(singleOrg) : PERSONAL_SCOPE, path };
}

function parseScope(name: string): SiteScope {
  const domain = name.toLowerCase();
  return domain === "docs" || domain === "www" ? PERSONAL_SCOPE : { kind: "team", domain };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
