/** Attacks on the user info endpoint, and accounts that must not sign in. */
import { ADA, INVALID, REFUSED, asAccount, behaving, type Attack } from "./attack.ts";

export const ACCOUNT_ATTACKS: readonly Attack[] = [
  // User info.
  {
    name: "user info of another subject",
    step: "user info",
    async run(t, browser) {
      t.provider.account = { sub: "1" };
      return behaving({ userInfo: () => ({ ...ADA, sub: "2" }) })(t, browser);
    },
    ...INVALID,
  },
  {
    name: "user info without a subject",
    step: "user info",
    async run(t, browser) {
      t.provider.account = { sub: "1" };
      return behaving({ userInfo: () => ({ email: ADA.email, email_verified: true }) })(t, browser);
    },
    ...INVALID,
  },
  {
    name: "an address of the token that user info verifies under another spelling",
    step: "user info",
    async run(t, browser) {
      t.provider.account = { sub: "1", email: ADA.email };
      return behaving({ userInfo: () => ({ sub: "1", email: "mallory@evil.example", email_verified: true }) })(
        t,
        browser,
      );
    },
    ...REFUSED,
  },
  // The account.
  { name: "no address", step: "account", run: asAccount({ sub: "1" }), ...REFUSED },
  { name: "an unverified address", step: "account", run: asAccount({ ...ADA, email_verified: false }), ...REFUSED },
  {
    name: "an address without verification",
    step: "account",
    run: asAccount({ sub: "1", email: ADA.email }),
    ...REFUSED,
  },
  {
    name: "a verification that is a text",
    step: "account",
    run: asAccount({ ...ADA, email_verified: "true" }),
    ...REFUSED,
  },
  { name: "another domain", step: "account", run: asAccount({ ...ADA, email: "ada@evil.example" }), ...REFUSED },
  { name: "a domain below", step: "account", run: asAccount({ ...ADA, email: "ada@mail.example.com" }), ...REFUSED },
  {
    name: "a domain that ends alike",
    step: "account",
    run: asAccount({ ...ADA, email: "ada@evilexample.com" }),
    ...REFUSED,
  },
  {
    name: "two at signs",
    step: "account",
    run: asAccount({ ...ADA, email: "ada@evil.example@example.com" }),
    ...REFUSED,
  },
  {
    name: "characters that become an address",
    step: "account",
    run: asAccount({ ...ADA, email: "vi\u212Ae@example.com" }),
    ...REFUSED,
  },
  {
    name: "an unknown user where none are created",
    step: "account",
    run: asAccount({ ...ADA, email: "new@example.com" }),
    ...REFUSED,
  },
  { name: "an administrator", step: "account", run: asAccount({ ...ADA, email: "root@example.com" }), ...REFUSED },
  { name: "a disabled user", step: "account", run: asAccount({ ...ADA, email: "dora@example.com" }), ...REFUSED },
  { name: "a disabled user who was connected", step: "account", run: asAccount({ sub: "disabled" }), ...REFUSED },
  { name: "a service account", step: "account", run: asAccount({ ...ADA, email: "robot@example.com" }), ...REFUSED },
  {
    name: "another subject with the address of a connected user",
    step: "account",
    run: asAccount({ sub: "another", email: "emil@example.com", email_verified: true }),
    ...REFUSED,
  },
];
