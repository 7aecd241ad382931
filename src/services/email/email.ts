import { AppError } from "../../errors.ts";
import type { Home } from "../../home/home.ts";
import type { QueuedEmail } from "../../home/identity/emails.ts";
import { randomHex } from "../../lib/ids.ts";
import type { Log } from "../../lib/observability/log.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import type { Mailbox } from "../../lib/text/mailbox.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { enqueueBackupFailed } from "./enqueue.ts";
import { hostOf, type PreparedMessage, prepareMessage } from "./prepare-message.ts";
import { renderMessage } from "./render-message.ts";
import { sendMessage, type SendOutcome, type SmtpSettings } from "./smtp-client.ts";
import { testText } from "./texts.ts";

/** Why no email is sent: the setting that is missing. */
export type MissingEmailSetting = "QUERN_SMTP_URL" | "QUERN_EMAIL_FROM" | "QUERN_PUBLIC_URL";

/** What is needed to send email; otherwise the setting that is missing. */
export type EmailSettings =
  | { readonly missing: null; readonly smtp: SmtpSettings; readonly publicUrl: string; readonly retryMs: number }
  | { readonly missing: MissingEmailSetting };

/** A use of the home database in log mode. */
export interface HomeReading {
  /** Resolves when everything that was read or written is in the log. */
  settled(): Promise<void>;
  end(): void;
}

export interface EmailOptions {
  readonly settings: EmailSettings;
  readonly home: Home;
  /** Begins a use of the home database; null without a replicated log. */
  readonly useHome: () => HomeReading | null;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** For the administration page. */
export interface EmailStatus {
  readonly missing: MissingEmailSetting | null;
  readonly server: string | null;
  readonly from: Mailbox | null;
  readonly waiting: number;
  readonly lastError: string | null;
}

/**
 * How often the queue is read. Requests do not wake the sender: when a message is sent says nothing about the request that
 * queued it.
 */
const POLL_MS = 1000;
/** Messages of one round. */
const ROUND_SIZE = 50;
const CLEANUP_INTERVAL_MS = 3_600_000;
const MAX_DOUBLINGS = 9;
const MAX_RETRY_MS = 3_600_000;
/** Pause of the whole queue while the server cannot be reached. */
const MAX_PAUSE_MS = 5 * 60_000;

/** Sends the messages in the queue of the home database, one after the other. Runs on the server that owns it. */
export class Email {
  readonly #options: EmailOptions;
  #isRunning = false;
  #cancelTimer = (): void => {};
  #round: Promise<void> | null = null;
  /** Consecutive failures of the server, as opposed to refusals of a message. */
  #failures = 0;
  #pausedUntil = 0;
  #nextCleanupMs = 0;

  constructor(options: EmailOptions) {
    this.#options = options;
  }

  /** True when messages are sent. */
  get isOn(): boolean {
    return this.#options.settings.missing === null;
  }

  /** Starts sending, when this server becomes the owner of the home database. */
  start(): void {
    if (this.#isRunning || !this.isOn) return;
    this.#isRunning = true;
    this.#failures = 0;
    this.#pausedUntil = 0;
    this.#scheduleRound(0);
  }

  /** Stops sending until `start` is called again. A message that is being sent may be sent again by the next owner. */
  pause(): void {
    this.#isRunning = false;
    this.#cancelTimer();
  }

  /** As `pause`, and waits for the message that is being sent. */
  async stop(): Promise<void> {
    this.pause();
    await this.#round;
  }

  status(): EmailStatus {
    const { settings, home } = this.#options;
    const { waiting, lastError } = home.emails.summary();
    if (settings.missing !== null) return { missing: settings.missing, server: null, from: null, waiting, lastError };
    const { host, port, from } = settings.smtp;
    return { missing: null, server: `${host}:${port}`, from, waiting, lastError };
  }

  /**
   * Sends a message to check the settings, at once and not through the queue. Returns the error; null if the server accepted it.
   * @throws AppError `invalid` when email is off
   */
  async sendTest(recipient: string): Promise<string | null> {
    const { settings, clock } = this.#options;
    if (settings.missing !== null) throw new AppError("email.off", `Email is off: ${settings.missing} is not set`);
    const message = renderMessage(testText({ host: hostOf(settings.publicUrl), address: recipient }));
    const messageId = `${randomHex(16)}@${new URL(settings.publicUrl).hostname}`;
    const outcome = await sendMessage(settings.smtp, { ...message, recipient, messageId, date: clock.now() });
    this.#count(outcome);
    return outcome.kind === "sent" ? null : outcome.error;
  }

  /** Queues a message to the administrators after a failed backup. Never throws. */
  warnOfBackup(): void {
    const { home, log } = this.#options;
    if (!this.isOn) return;
    try {
      home.transaction(() => enqueueBackupFailed(home));
    } catch (error) {
      log.warn("email.queue_failed", { error: String(error) });
    }
  }

  #scheduleRound(ms: number): void {
    this.#cancelTimer();
    if (!this.#isRunning) return;
    this.#cancelTimer = this.#options.timers.after(ms, () => {
      // The one before may still wait for the server.
      this.#round ??= this.#runRound().finally(() => {
        this.#round = null;
        this.#scheduleRound(POLL_MS);
      });
    });
  }

  /** Never throws. */
  async #runRound(): Promise<void> {
    const { home, clock, log, useHome } = this.#options;
    if (clock.now() < this.#pausedUntil && clock.now() > this.#pausedUntil - 2 * MAX_PAUSE_MS) return;
    const use = useHome();
    try {
      this.#removeOldLimits();
      for (const email of home.emails.due(ROUND_SIZE)) {
        if (!this.#isRunning || !(await this.#process(email, use))) return;
      }
    } catch (error) {
      // The next round repeats what is left: the database is locked, or another server owns it now.
      if (this.#isRunning) log.warn("email.queue_failed", { error: String(error) });
    } finally {
      use?.end();
    }
  }

  #removeOldLimits(): void {
    const { home, clock } = this.#options;
    if (clock.elapsed() < this.#nextCleanupMs) return;
    home.transaction(() => home.emails.removeOldLimits());
    this.#nextCleanupMs = clock.elapsed() + CLEANUP_INTERVAL_MS;
  }

  /** Returns false when the server cannot be reached: the other messages wait as well. */
  async #process(email: QueuedEmail, use: HomeReading | null): Promise<boolean> {
    const { settings, home, clock, log } = this.#options;
    if (settings.missing !== null) return false;
    const { id, kind } = email;
    if (email.expiresAt <= clock.now()) {
      home.transaction(() => home.emails.remove(id));
      log.warn("email.expired", { kind, email: id, attempts: email.attempts, error: email.lastError });
      return true;
    }
    const message = home.transaction(() => {
      const prepared = prepareMessage({ home, publicUrl: settings.publicUrl }, email);
      if (!prepared) home.emails.remove(id);
      return prepared;
    });
    if (!message) return true;
    // The cause and the token of the link must survive before anyone reads of them.
    await use?.settled();
    const messageId = `${email.messageId}@${new URL(settings.publicUrl).hostname}`;
    const outcome = await sendMessage(settings.smtp, { ...message, messageId, date: email.createdAt });
    this.#count(outcome);
    home.transaction(() => this.#record(email, message, outcome));
    return this.#noteServer(outcome);
  }

  #record(email: QueuedEmail, { tokenHash }: PreparedMessage, outcome: SendOutcome): void {
    const { home, clock, log, settings } = this.#options;
    const { id, kind } = email;
    if (outcome.kind === "sent" || outcome.kind === "rejected") home.emails.remove(id);
    if (outcome.kind === "sent") {
      log.info("email.sent", { kind, email: id, attempts: email.attempts + 1 });
      return;
    }
    const { error } = outcome;
    // Each attempt has a token of its own; one that cannot have been received is of no use.
    if (outcome.isCertain && tokenHash !== null) home.tokens.remove(tokenHash);
    if (outcome.kind === "rejected") {
      log.warn("email.rejected", { kind, email: id, error });
      return;
    }
    const attempts = email.attempts + 1;
    const delay = Math.min(
      (settings.missing === null ? settings.retryMs : 0) * 2 ** Math.min(attempts - 1, MAX_DOUBLINGS),
      MAX_RETRY_MS,
    );
    // At the expiry at the latest, which ends it.
    home.emails.recordFailure(id, { attempts, nextAttemptAt: Math.min(clock.now() + delay, email.expiresAt), error });
    log.warn("email.failed", { kind, email: id, attempts, error });
  }

  #noteServer(outcome: SendOutcome): boolean {
    const { clock, settings } = this.#options;
    if (outcome.kind !== "failed") {
      this.#failures = 0;
      return true;
    }
    const retryMs = settings.missing === null ? settings.retryMs : 0;
    this.#pausedUntil = clock.now() + Math.min(retryMs * 2 ** Math.min(this.#failures, MAX_DOUBLINGS), MAX_PAUSE_MS);
    this.#failures++;
    return false;
  }

  #count({ kind }: SendOutcome): void {
    incrementCounter(kind === "sent" ? "emailsSent" : "emailsFailed");
  }
}
