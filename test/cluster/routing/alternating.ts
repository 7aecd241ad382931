/** A client of a cluster whose every request goes to another node than the one before, as behind a load balancer. */
import type { TestCluster, TestNode } from "../nodes.ts";

/** The host that browsers see. */
export const HOST = "quern.example.org";
export const ORIGIN = `https://${HOST}`;

/** Headers of the load balancer, which the nodes trust. */
const FORWARDED = { Host: HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.7" };

export const BEHIND_PROXY = { QUERN_TRUSTED_PROXIES: "127.0.0.0/8", QUERN_PUBLIC_URL: ORIGIN };

/** Requests with a session cookie, or a key. */
export class AlternatingClient {
  readonly #cluster: TestCluster;
  #next = 0;
  cookie: string | null = null;
  /** The node that got the last request. */
  lastNode: TestNode | null = null;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  async send(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    const node = this.#cluster.nodes[this.#next++ % this.#cluster.nodes.length];
    if (!node) throw new Error("no nodes");
    this.lastNode = node;
    const sent = new Headers({ ...FORWARDED, ...(this.cookie && { Cookie: this.cookie }) });
    for (const [name, value] of new Headers(headers)) sent.set(name, value);
    const response = await node.fetch(path, { ...init, headers: sent });
    const cookie = response.headers.get("set-cookie");
    if (cookie) this.cookie = cookie.startsWith("quern_session=;") ? null : (cookie.split(";")[0] ?? null);
    return response;
  }

  page(path: string): Promise<Response> {
    return this.send(path, { headers: { Accept: "text/html" } });
  }

  form(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const body = new URLSearchParams(fields);
    return this.send(path, { method: "POST", body, headers: { Accept: "text/html", Origin: ORIGIN, ...headers } });
  }

  /** Calls the API as a page's script does. @throws Error unless the status is 2xx */
  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.send(`/api${path}`, {
      method,
      headers: { "Content-Type": "application/json", Origin: ORIGIN },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }
}
