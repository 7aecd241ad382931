import type { App } from "../../src/app.ts";

export interface Page {
  readonly status: number;
  readonly html: string;
  /** The target of a redirect, absolute; null without one. */
  readonly to: string | null;
  readonly headers: Headers;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly flags: readonly string[];
}

/** A browser with a cookie jar for each host, which sends cookies only below their path. */
export class CookieBrowser {
  readonly #app: App;
  readonly #origin: string;
  readonly #jar = new Map<string, Map<string, Cookie>>();

  constructor(app: App, origin = "http://quern.test") {
    this.#app = app;
    this.#origin = origin;
  }

  get(url: string): Promise<Page> {
    return this.#send(url, { headers: { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" } });
  }

  /** Sends a form; the given headers take precedence. */
  post(url: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Page> {
    const { origin } = new URL(url, this.#origin);
    return this.#send(url, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Origin: origin, ...headers },
    });
  }

  cookie(name: string, origin = this.#origin): Cookie | undefined {
    return this.#jar.get(new URL(origin).host)?.get(name);
  }

  /** Plants a cookie, as an attacker in control of another subdomain could. */
  setCookie(name: string, value: string, path = "/"): void {
    const { host } = new URL(this.#origin);
    const jar = this.#jar.get(host) ?? new Map<string, Cookie>();
    this.#jar.set(host, jar.set(name, { value, path, flags: [] }));
  }

  async #send(
    target: string,
    init: { method?: string; body?: URLSearchParams; headers: Record<string, string> },
  ): Promise<Page> {
    const url = new URL(target, this.#origin);
    const jar = this.#jar.get(url.host) ?? new Map<string, Cookie>();
    this.#jar.set(url.host, jar);
    const cookies = [...jar].filter(([, { path }]) => `${url.pathname}/`.startsWith(path === "/" ? "/" : `${path}/`));
    const headers = new Headers({ Host: url.host, Accept: "text/html", ...init.headers });
    if (cookies.length > 0) headers.set("Cookie", cookies.map(([name, { value }]) => `${name}=${value}`).join("; "));
    const response = await this.#app.handle(new Request(url.href, { ...init, headers }), { peer: "192.0.2.1" });
    for (const text of response.headers.getSetCookie()) {
      const [pair = "", ...flags] = text.split("; ");
      const [name = "", value = ""] = pair.split("=");
      const path = flags.find((flag) => flag.startsWith("Path="))?.slice("Path=".length) ?? "/";
      if (flags.includes("Max-Age=0")) jar.delete(name);
      else jar.set(name, { value: decodeURIComponent(value), path, flags });
    }
    const location = response.headers.get("location");
    return {
      status: response.status,
      html: await response.text(),
      to: location === null ? null : new URL(location, url).href,
      headers: response.headers,
    };
  }
}
