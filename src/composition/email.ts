/** The sender of email from the settings. */
import type { Config } from "../config.ts";
import type { Log } from "../lib/observability/log.ts";
import { Email, type EmailOptions, type EmailSettings } from "../services/email/email.ts";

/** Creates the sender. Says in the log why email is off although it was configured. */
export function createEmail(config: Config, options: Omit<EmailOptions, "settings">): Email {
  return new Email({ ...options, settings: emailSettings(config) });
}

/** Returns what is needed to send email. */
function emailSettings(config: Config): EmailSettings {
  const { smtpUrl, emailFrom, publicUrl, smtpTls: startTls, smtpCa: caFile, smtpTimeoutMs: timeoutMs } = config;
  if (smtpUrl === null) return { missing: "QUERN_SMTP_URL" };
  if (emailFrom === null) return { missing: "QUERN_EMAIL_FROM" };
  // The address in a request is chosen by its sender, who could have links lead to another server.
  if (publicUrl === null) return { missing: "QUERN_PUBLIC_URL" };
  const smtp = { ...smtpUrl, startTls, caFile, timeoutMs, from: emailFrom };
  return { missing: null, smtp, publicUrl, retryMs: config.smtpRetryMs };
}

/** Says in the log whether email is sent, if an SMTP server is configured. */
export function logEmailStart(email: Email, log: Log): void {
  const { missing, server } = email.status();
  if (missing === null) log.info("email.started", { server });
  else if (missing !== "QUERN_SMTP_URL") log.warn("email.not_started", { missing });
}
