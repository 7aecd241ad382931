import { parseNetwork, type Network } from "../lib/network/networks.ts";
import { commaList, headerName, oneOf } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** How users sign in, and who says so; the providers of single sign-on are in `oidc-settings.ts`. */
export const SIGN_IN_SETTINGS = {
  passwords: setting<"on" | "off">({
    flag: "passwords",
    env: "QUERN_PASSWORDS",
    placeholder: "KIND",
    defaultValue: "on",
    about:
      "off: users neither sign in with a password nor set one. Users sign in through a provider, a passkey or a reverse proxy; quern user sign-in-link is the way back.",
    parse: (text) => oneOf(text, ["on", "off"]),
  }),
  requireSecondFactor: setting<"off" | "admins" | "on">({
    flag: "require-second-factor",
    env: "QUERN_REQUIRE_SECOND_FACTOR",
    placeholder: "WHO",
    defaultValue: "off",
    about:
      "Users that need a second factor to sign in with a password: off (users who have added one), admins (also administrators of the installation) or on (everyone). Users without one add it at the next sign-in.",
    parse: (text) => oneOf(text, ["off", "admins", "on"]),
  }),
  forwardAuthHeader: setting<string | null>({
    flag: "forward-auth-header",
    env: "QUERN_FORWARD_AUTH_HEADER",
    placeholder: "NAME",
    defaultValue: null,
    about:
      "Header in which a reverse proxy sends the email address of the signed-in user; accepted only from trusted proxies.",
    parse: headerName,
  }),
  trustedProxies: setting<readonly Network[]>({
    flag: "trusted-proxies",
    env: "QUERN_TRUSTED_PROXIES",
    placeholder: "LIST",
    defaultValue: [],
    about:
      "Comma-separated addresses or networks (CIDR) of trusted reverse proxies, whose forwarded headers are accepted.",
    parse: (text) => commaList(text).map(parseNetwork),
  }),
} as const;
