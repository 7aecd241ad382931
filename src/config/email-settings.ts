import { integerBetween, nonEmpty, oneOf } from "../lib/setting-parsers.ts";
import { isMailbox, type Mailbox } from "../lib/text/mailbox.ts";
import { setting } from "./setting.ts";

/** How to connect to an SMTP server. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, as opposed to STARTTLS. */
  readonly isImplicitTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
}

/** The SMTP server, and the sender of messages. */
export const EMAIL_SETTINGS = {
  smtpUrl: setting<SmtpServer | null>({
    flag: "smtp-url",
    env: "QUERN_SMTP_URL",
    placeholder: "URL",
    defaultValue: null,
    isSecret: true,
    about:
      "SMTP server for email: smtp://user:password@host:587 with STARTTLS, or smtps://user:password@host:465. Requires QUERN_EMAIL_FROM and QUERN_PUBLIC_URL.",
    parse: smtpUrl,
  }),
  emailFrom: setting<Mailbox | null>({
    flag: "email-from",
    env: "QUERN_EMAIL_FROM",
    placeholder: "ADDRESS",
    defaultValue: null,
    about: "Sender of email: quern@example.org, or Quern <quern@example.org>.",
    parse: mailbox,
  }),
  invitationLinks: setting<"administrators" | "owners">({
    flag: "invitation-links",
    env: "QUERN_INVITATION_LINKS",
    placeholder: "WHO",
    defaultValue: "administrators",
    about:
      "Users who can copy links of invitations, each of which makes the account of an address: administrators, or also owners who share something with an unknown address.",
    parse: (text) => oneOf(text, ["administrators", "owners"]),
  }),
  smtpTls: setting<"auto" | "required" | "off">({
    flag: "smtp-tls",
    env: "QUERN_SMTP_TLS",
    placeholder: "KIND",
    defaultValue: "auto",
    about:
      "STARTTLS with smtp://. auto: if the server offers it, and always when the URL contains a password. required: always. off: never, for a server on the same machine or network.",
    parse: (text) => oneOf(text, ["auto", "required", "off"]),
  }),
  smtpCa: setting({
    flag: "smtp-ca",
    env: "QUERN_SMTP_CA",
    placeholder: "FILE",
    defaultValue: null,
    about: "PEM file of the certificate authority of the SMTP server, in place of the public ones.",
    parse: nonEmpty,
  }),
  smtpTimeoutMs: setting({
    flag: "smtp-timeout-ms",
    env: "QUERN_SMTP_TIMEOUT_MS",
    placeholder: "MS",
    defaultValue: 20_000,
    about: "Timeout of each step of sending an email in milliseconds: connecting, greeting, each answer.",
    parse: (text) => integerBetween(text, 10, 600_000),
  }),
  smtpRetryMs: setting({
    flag: "smtp-retry-ms",
    env: "QUERN_SMTP_RETRY_MS",
    placeholder: "MS",
    defaultValue: 10_000,
    about:
      "Delay in milliseconds before an email that could not be sent is sent again; doubled with each attempt, up to an hour.",
    parse: (text) => integerBetween(text, 1, 3_600_000),
  }),
} as const;

/** The text contains a password and does not appear in errors. */
function smtpUrl(text: string): SmtpServer {
  const url = URL.parse(text);
  const isImplicitTls = url?.protocol === "smtps:";
  if (!url || (!isImplicitTls && url.protocol !== "smtp:") || url.hostname === "" || url.search || url.hash) {
    throw new Error("must be a URL like smtp://user:password@host:587");
  }
  const port = url.port === "" ? (isImplicitTls ? 465 : 587) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port, isImplicitTls, user: decoded(url.username), password: decoded(url.password) };
}

function decoded(text: string): string | null {
  try {
    return text === "" ? null : decodeURIComponent(text);
  } catch {
    throw new Error("must have a percent-encoded user and password");
  }
}

function mailbox(text: string): Mailbox {
  const [, name = "", bracketed] = /^(.*)<([^<>]*)>$/.exec(text.trim()) ?? [];
  const parsed = { name: name.trim().replace(/^"(.*)"$/, "$1"), address: (bracketed ?? text).trim() };
  if (!isMailbox(parsed)) {
    throw new Error(`must be an email address, or a name and an address in <>, not ${JSON.stringify(text)}`);
  }
  return parsed;
}
