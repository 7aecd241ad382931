/** One attack on a sign-in, and ways to describe it. */
import type { CookieBrowser, Page } from "./cookie-browser.ts";
import type { OidcSite } from "./oidc-site.ts";
import type { Claims, TestProvider } from "./test-provider.ts";

export interface Attack {
  readonly name: string;
  readonly step: "callback" | "token" | "user info" | "account";
  /** Returns the page that the browser reaches. */
  run(t: OidcSite, browser: CookieBrowser): Promise<Page>;
  readonly status: number;
  /** Part of the page. */
  readonly says: string;
}

export const EXPIRED = { status: 400, says: "This sign-in was not started in this browser" };
export const INVALID = { status: 403, says: "response is not valid" };
export const CLOCK = { status: 403, says: "The clocks of this server and of the provider differ" };
export const REFUSED = { status: 403, says: "No user can sign in with this account" };
export const CANCELLED = { status: 403, says: "was cancelled, or the provider refused it" };
export const UNAVAILABLE = { status: 503, says: "cannot be reached, or is not set up correctly" };

/** Signs in while the provider behaves in another way. */
export const behaving =
  (behaviour: TestProvider["behaviour"]) =>
  async (t: OidcSite, browser: CookieBrowser): Promise<Page> => {
    t.provider.behaviour = behaviour;
    return (await t.signIn(browser)).page;
  };

/** Removes a claim. */
export const without =
  (name: string) =>
  (claims: Claims): Claims =>
    Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

export const claiming = (change: (claims: Claims) => Claims) => behaving({ claims: change });
export const redirecting = (redirect: (params: URLSearchParams) => void) => behaving({ redirect });
export const asAccount =
  (account: TestProvider["account"]) =>
  async (t: OidcSite, browser: CookieBrowser): Promise<Page> => {
    t.provider.account = account;
    return (await t.signIn(browser)).page;
  };

/** Values that the server has encrypted for another purpose: shown to a signed-in user. */
export const sealedLinks = new WeakMap<OidcSite, string>();

export const nowS = () => Math.floor(Date.now() / 1000);
export const ADA = { sub: "1", email: "ada@example.com", email_verified: true };
export const answering = (path: string, answer: () => Response | Promise<Response>) =>
  behaving({ answers: { [path]: answer } });
