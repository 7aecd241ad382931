/** Attacks on the callback: state, mix-up of providers, replayed codes. */
import { expect } from "bun:test";
import { ADA, CANCELLED, EXPIRED, INVALID, redirecting, sealedLinks, type Attack } from "./attack.ts";

export const CALLBACK_ATTACKS: readonly Attack[] = [
  { name: "no state", step: "callback", run: redirecting((params) => params.delete("state")), ...EXPIRED },
  { name: "an empty state", step: "callback", run: redirecting((params) => params.set("state", "")), ...EXPIRED },
  {
    name: "a wrong state",
    step: "callback",
    run: redirecting((params) => params.set("state", "0".repeat(64))),
    ...EXPIRED,
  },
  {
    name: "a second state",
    step: "callback",
    run: redirecting((params) => params.append("state", "0".repeat(64))),
    ...EXPIRED,
  },
  {
    name: "the callback of another browser",
    step: "callback",
    async run(t, browser) {
      const attacker = t.browser();
      await t.start(browser);
      return browser.get(t.provider.authorize(await t.start(attacker)).href);
    },
    ...EXPIRED,
  },
  {
    name: "a browser without the cookie",
    step: "callback",
    run: async (t, browser) => browser.get(t.provider.authorize(await t.start(t.browser())).href),
    ...EXPIRED,
  },
  {
    name: "a cookie that was changed",
    step: "callback",
    async run(t, browser) {
      const url = await t.start(browser);
      const { value = "", path = "/" } = browser.cookie("quern_flow") ?? {};
      const bytes = Buffer.from(value, "base64url");
      bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
      browser.setCookie("quern_flow", bytes.toString("base64url"), path);
      return browser.get(t.provider.authorize(url).href);
    },
    ...EXPIRED,
  },
  {
    name: "a cookie for another purpose",
    step: "callback",
    async run(t, browser) {
      const url = await t.start(browser);
      const link = sealedLinks.get(t) ?? "";
      expect(link).not.toBe("");
      browser.setCookie("quern_flow", link, "/sign-in/oidc");
      return browser.get(t.provider.authorize(url).href);
    },
    ...EXPIRED,
  },
  {
    name: "the callback twice",
    step: "callback",
    async run(t, browser) {
      t.provider.account = { ...ADA, email_verified: false };
      const url = await t.start(browser);
      const cookie = browser.cookie("quern_flow")?.value ?? "";
      const callback = t.provider.authorize(url);
      await browser.get(callback.href);
      t.provider.account = ADA;
      browser.setCookie("quern_flow", cookie, "/sign-in/oidc");
      return browser.get(callback.href);
    },
    ...EXPIRED,
  },
  {
    name: "the same state with a new code",
    step: "callback",
    async run(t, browser) {
      t.provider.account = { ...ADA, email_verified: false };
      const url = await t.start(browser);
      const cookie = browser.cookie("quern_flow")?.value ?? "";
      await browser.get(t.provider.authorize(url).href);
      t.provider.account = ADA;
      browser.setCookie("quern_flow", cookie, "/sign-in/oidc");
      return browser.get(t.provider.authorize(url).href);
    },
    ...EXPIRED,
  },
  {
    name: "a flow of another provider (mix-up)",
    step: "callback",
    async run(t, browser) {
      const callback = t.provider.authorize(await t.start(browser, "other"));
      callback.pathname = "/sign-in/oidc/keycloak/callback";
      return browser.get(callback.href);
    },
    ...EXPIRED,
  },
  {
    name: "a code of another provider (mix-up)",
    step: "callback",
    async run(t, browser) {
      // The hostile provider sends the browser to the other one, and back with its code.
      const url = new URL(await t.start(browser, "keycloak"));
      return browser.get(t.other.authorize(url.href).href);
    },
    ...INVALID,
  },
  {
    name: "a code of another provider, without its name (mix-up)",
    step: "callback",
    async run(t, browser) {
      const callback = t.other.authorize(await t.start(browser, "keycloak"));
      callback.searchParams.delete("iss");
      return browser.get(callback.href);
    },
    ...INVALID,
  },
  {
    name: "a wrong iss",
    step: "callback",
    run: redirecting((params) => params.set("iss", "https://evil.example")),
    ...INVALID,
  },
  { name: "no iss", step: "callback", run: redirecting((params) => params.delete("iss")), ...INVALID },
  { name: "no code", step: "callback", run: redirecting((params) => params.delete("code")), ...INVALID },
  { name: "a wrong code", step: "callback", run: redirecting((params) => params.set("code", "x")), ...CANCELLED },
  {
    name: "a code that was used by another browser (replay)",
    step: "callback",
    async run(t, browser) {
      const first = t.browser();
      t.provider.account = { ...ADA, email_verified: false };
      const stolen = t.provider.authorize(await t.start(first));
      await first.get(stolen.href);
      const own = t.provider.authorize(await t.start(browser));
      own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
      return browser.get(own.href);
    },
    ...CANCELLED,
  },
  {
    name: "an unused code of another browser (injection)",
    step: "callback",
    async run(t, browser) {
      const stolen = t.provider.authorize(await t.start(t.browser()));
      const own = t.provider.authorize(await t.start(browser));
      own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
      return browser.get(own.href);
    },
    ...CANCELLED,
  },
  {
    name: "an error of the provider",
    step: "callback",
    run: redirecting((params) => {
      params.delete("code");
      params.set("error", "access_denied");
      params.set("error_description", "<b>No</b>");
    }),
    ...CANCELLED,
  },
  {
    name: "an error beside a code",
    step: "callback",
    run: redirecting((params) => params.set("error", "access_denied")),
    ...CANCELLED,
  },
];
