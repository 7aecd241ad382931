/** A server that sends email to an SMTP server of the test. */
import type { SMTPServerOptions } from "smtp-server";
import { enqueueBackupFailed } from "../../../src/services/email/enqueue.ts";
import { type TestApp, testApp, type TestAppOptions, USERS } from "../../helpers/app.ts";
import { SmtpReceiver } from "../../helpers/smtp-receiver.ts";

export const PUBLIC_URL = "https://quern.example.org";

/** Settings for a server of the test; retries follow at once. */
export const emailFlags = (receiver: { readonly url: string }): Record<string, string> => ({
  "smtp-url": receiver.url,
  "email-from": "Quern <quern@example.org>",
  "public-url": PUBLIC_URL,
  "smtp-timeout-ms": "300",
  "smtp-retry-ms": "1",
});

export interface EmailTest extends AsyncDisposable {
  readonly t: TestApp;
  readonly receiver: SmtpReceiver;
  /** The messages in the queue. */
  queue(): readonly { readonly kind: string; readonly attempts: number; readonly lastError: string | null }[];
}

/** Starts both; `owner` is an administrator. */
export async function emailTest({
  smtp = {},
  flags = {},
  ...options
}: Omit<TestAppOptions, "flags"> & {
  smtp?: SMTPServerOptions;
  flags?: Record<string, string>;
} = {}): Promise<EmailTest> {
  const receiver = await SmtpReceiver.start(smtp);
  const t = await testApp({ ...options, flags: { ...emailFlags(receiver), ...flags } });
  const { users } = t.app.ctx.home;
  users.change(users.byEmail(USERS.owner.email)?.id ?? 0, { isAdmin: true });
  return {
    t,
    receiver,
    queue: () => t.app.ctx.home.raw.all("select kind, attempts, last_error as lastError from emails order by id"),
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

/** Queues a message to the administrator. */
export function queueMessage({ t }: EmailTest): void {
  const { home } = t.app.ctx;
  home.transaction(() => {
    home.raw.run("delete from email_limits");
    enqueueBackupFailed(home);
  });
}
