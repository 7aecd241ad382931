import { nonEmpty } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** HTTPS without a reverse proxy. */
export const TLS_SETTINGS = {
  tlsCert: setting<string | null>({
    flag: "tls-cert",
    env: "QUERN_TLS_CERT",
    placeholder: "FILE",
    defaultValue: null,
    about:
      "Certificate in PEM format, followed by its chain: the server then speaks HTTPS. Requires QUERN_TLS_KEY. Both files are loaded again when they change, or on SIGHUP.",
    parse: nonEmpty,
  }),
  tlsKey: setting<string | null>({
    flag: "tls-key",
    env: "QUERN_TLS_KEY",
    placeholder: "FILE",
    defaultValue: null,
    about: "Private key of the certificate, in PEM format and without a passphrase.",
    parse: nonEmpty,
  }),
} as const;
