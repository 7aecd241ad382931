import type { App } from "../../src/app.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { testApp, type TestApp, type TestAppOptions } from "../helpers/app.ts";
import { signInByPassword } from "../helpers/sign-in.ts";
import { BROWSER } from "../helpers/users.ts";

export const PASSWORD = "correct horse";
export const ADA = { email: "ada@example.com", name: "Ada Lovelace", password: PASSWORD };

export interface VisitorOptions {
  /** The URL in the browser's address bar. */
  readonly origin?: string;
  /** The address of the peer: the browser, or a reverse proxy. */
  readonly peer?: string;
  /** Sent with every request. */
  readonly headers?: Record<string, string>;
}

export interface PageReply {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The target of a redirect. */
  readonly to: string | null;
}

/** A minimal browser: keeps one cookie, requests pages, and sends its page's origin with forms. */
export class Visitor {
  readonly #app: App;
  readonly #origin: string;
  readonly #peer: string;
  readonly #headers: Record<string, string>;
  #cookie: string | null = null;

  constructor(app: App, { origin = "http://quern.test", peer = "192.0.2.1", headers = {} }: VisitorOptions = {}) {
    this.#app = app;
    this.#origin = origin;
    this.#peer = peer;
    this.#headers = headers;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageReply> {
    return this.#send(path, { headers });
  }

  /** Sends a form; the given headers take precedence, and an empty value omits one. */
  post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<PageReply> {
    const body = new URLSearchParams(fields);
    return this.#send(path, { method: "POST", body, headers: { Origin: this.#origin, ...headers } });
  }

  /** Signs in without the page. */
  async signIn({ email, password }: { email: string; password: string } = ADA): Promise<void> {
    const { token } = await signInByPassword(this.#app.ctx, { email, password, ...BROWSER, address: this.#peer });
    this.#cookie = `quern_session=${token}`;
  }

  /** Sends any request. */
  async #send(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<PageReply> {
    const headers = new Headers({ Host: new URL(this.#origin).host, Accept: "text/html", ...this.#headers });
    if (this.#cookie) headers.set("Cookie", this.#cookie);
    for (const [name, value] of Object.entries(init.headers)) {
      if (value === "") headers.delete(name);
      else headers.set(name, value);
    }
    const response = await this.#app.handle(new Request(`${this.#origin}${path}`, { ...init, headers }), {
      peer: this.#peer,
    });
    this.#cookie = response.headers.get("set-cookie")?.split(";")[0] ?? this.#cookie;
    const { status, headers: answered } = response;
    return { status, headers: answered, html: await response.text(), to: answered.get("location") };
  }
}

/** A server with a user Ada, signed in. */
export async function adasApp(options: TestAppOptions = {}): Promise<TestApp & { ada: Visitor }> {
  const server = await testApp(options);
  await addUser(server.app.ctx, ADA);
  const ada = new Visitor(server.app);
  await ada.signIn();
  return { ...server, ada };
}

/** Returns the URL of an asset in a page: `base.css`, `page.js`, `icon.svg`. */
export function assetIn({ html }: PageReply, name: string): string {
  const [stem, ending] = name.split(".");
  const found = new RegExp(`"(/assets/${stem}\\.\\w+\\.${ending})"`).exec(html)?.[1];
  if (found === undefined) throw new Error(`the page has no asset ${name}`);
  return found;
}
