import { parseAllowedDestination, type AllowedDestination } from "../lib/network/allowed-destinations.ts";
import { commaList, oneOf } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Imports of files by their address. */
export const IMPORT_SETTINGS = {
  importUrls: setting<"on" | "off">({
    flag: "import-urls",
    env: "QUERN_IMPORT_URLS",
    placeholder: "KIND",
    defaultValue: "on",
    about: "off: users cannot import files by their address; the server then fetches none.",
    parse: (text) => oneOf(text, ["on", "off"]),
  }),
  importAllow: setting<readonly AllowedDestination[]>({
    flag: "import-allow",
    env: "QUERN_IMPORT_ALLOW",
    placeholder: "LIST",
    defaultValue: [],
    about:
      "Addresses of which files can be imported besides public https addresses: comma-separated hosts, host:port, networks (CIDR), or *. Every user can then read from them.",
    parse: (text) => commaList(text).map(parseAllowedDestination),
  }),
} as const;
