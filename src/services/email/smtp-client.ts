import { readFileSync } from "node:fs";
import type { Mailbox } from "../../lib/text/mailbox.ts";
import type { RenderedMessage } from "./render-message.ts";

/** How to connect to the SMTP server, and as whom to send. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly isImplicitTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly startTls: "auto" | "required" | "off";
  /** Path of a PEM file; null for the public authorities. */
  readonly caFile: string | null;
  readonly timeoutMs: number;
  readonly from: Mailbox;
}

/** A message with its envelope. */
export interface OutgoingMessage extends RenderedMessage {
  /** With domain, without brackets. */
  readonly messageId: string;
  /** An address for which `isSendable` is true. */
  readonly recipient: string;
  /** Milliseconds since the epoch. */
  readonly date: number;
}

/**
 * The result of an attempt. `rejected`: the server does not accept this recipient or message, and never will. `deferred`: it
 * does not accept it now. `failed`: no message can be sent now.
 */
export type SendOutcome =
  | { readonly kind: "sent" }
  | {
      readonly kind: "rejected" | "deferred" | "failed";
      readonly error: string;
      /** False if the server may have accepted the message. */
      readonly isCertain: boolean;
    };

/** Of errors: servers send texts of any length. */
const MAX_ERROR = 300;

/** Sends one message over a connection of its own. Never throws. The library is loaded with the first message. */
export async function sendMessage(settings: SmtpSettings, message: OutgoingMessage): Promise<SendOutcome> {
  try {
    const { createTransport } = await import("nodemailer");
    const transport = createTransport(transportOptions(settings));
    try {
      const { messageId, recipient, date, subject, text, html } = message;
      await transport.sendMail({
        envelope: { from: settings.from.address, to: [recipient] },
        from: settings.from,
        to: { name: "", address: recipient },
        messageId: `<${messageId}>`,
        date: new Date(date),
        subject,
        text,
        html,
        // Keeps out-of-office replies away.
        headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { kind: "sent" };
    } finally {
      transport.close();
    }
  } catch (error) {
    return outcomeOf(error);
  }
}

function transportOptions(settings: SmtpSettings) {
  const { host, port, isImplicitTls, user, password, startTls, caFile, timeoutMs } = settings;
  // A password must not be sent because an attacker removed STARTTLS from the server's answer.
  const requireTLS = !isImplicitTls && (startTls === "required" || (startTls === "auto" && password !== null));
  return {
    host,
    port,
    secure: isImplicitTls,
    requireTLS,
    ignoreTLS: startTls === "off",
    ...(user !== null && { auth: { user, pass: password ?? "" } }),
    ...(caFile !== null && { tls: { ca: readFileSync(caFile, "utf8") } }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
}

interface SmtpError extends Error {
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly code?: string;
  readonly originalCode?: string;
  readonly timeoutType?: string;
}

/** Errors that end an attempt before the message was sent. */
const EARLY_ERRORS: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "EDNS",
  "EAUTH",
  "ENOAUTH",
  "ETLS",
  "CONNECT_TIMEOUT",
  "GREETING_TIMEOUT",
]);

function outcomeOf(thrown: unknown): SendOutcome {
  const error = thrown instanceof Error ? (thrown as SmtpError) : (new Error(String(thrown)) as SmtpError);
  const text = describe(error);
  const command = error.command?.split(" ")[0]?.toUpperCase() ?? "";
  const code = error.responseCode ?? 0;
  const { code: reason = "", originalCode = "", timeoutType = "" } = error;
  // Without an answer, the server may have accepted the message.
  const isCertain = code >= 400 || [reason, originalCode, timeoutType].some((text) => EARLY_ERRORS.has(text));
  const isAboutMessage = error.command?.toUpperCase() === "RCPT TO" || command === "DATA";
  if (!isAboutMessage || code < 400) return { kind: "failed", error: text, isCertain };
  return { kind: code >= 500 && code !== 503 ? "rejected" : "deferred", error: text, isCertain };
}

/** One line without control characters. Commands with credentials are not part of it. */
const describe = ({ message }: Error): string => {
  const line = message.replace(/[\p{C}\s]+/gu, " ").trim();
  return line.length > MAX_ERROR ? `${line.slice(0, MAX_ERROR)}…` : line;
};
