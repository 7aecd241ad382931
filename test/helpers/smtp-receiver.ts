/** An SMTP server of the test's own process, which keeps the messages that it accepted. */
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { expectPoll } from "./expect-poll.ts";

export interface ReceivedMessage {
  readonly recipients: readonly string[];
  readonly sender: string;
  /** Headers and body as they were sent. */
  readonly raw: string;
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

/** The answer to one step of one message: a status of SMTP, no answer, a lost connection, or acceptance. */
export type SmtpAnswer = number | "hang" | "drop" | "ok";

export type SmtpStep = "connect" | "auth" | "sender" | "recipient" | "data";

/** Answers of a step, in order; when they are used up the step succeeds. */
export type SmtpAnswers = Partial<Record<SmtpStep, SmtpAnswer[]>>;

export class SmtpReceiver implements AsyncDisposable {
  readonly messages: ReceivedMessage[] = [];
  readonly answers: SmtpAnswers = {};
  /** The content of each message that was received, whether or not it was accepted. */
  readonly attempts: string[] = [];
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: options.key ? [] : ["STARTTLS"],
      closeTimeout: 100,
      onConnect: (_session, done) => this.#answer("connect", done),
      onAuth: (auth, _session, done) => this.#answer("auth", (error) => done(error, { user: auth.username })),
      onMailFrom: (_address, _session, done) => this.#answer("sender", done),
      onRcptTo: (_address, _session, done) => this.#answer("recipient", done),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          this.attempts.push(Buffer.concat(chunks).toString("utf8"));
          this.#answer("data", (error) => {
            if (!error) {
              this.messages.push({
                recipients: session.envelope.rcptTo.map(({ address }) => address),
                sender: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
                raw: Buffer.concat(chunks).toString("utf8"),
                isSecure: session.secure,
                user: session.user as string | undefined,
              });
            }
            done(error);
          });
        });
      },
      ...options,
    });
    // Connections that a test drops.
    this.#server.on("error", () => {});
  }

  static async start(options: SMTPServerOptions = {}, port = 0): Promise<SmtpReceiver> {
    const receiver = new SmtpReceiver(options);
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once("error", reject);
      receiver.#server.listen(port, "127.0.0.1", () => resolve());
    });
    return receiver;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Waits until so many messages were accepted, and returns them. */
  async received(count: number): Promise<readonly ReceivedMessage[]> {
    await expectPoll(() => this.messages.length).toBeGreaterThan(count - 1);
    return this.messages;
  }

  #answer(step: SmtpStep, done: (error?: Error | null) => void): void {
    const answer = this.answers[step]?.shift() ?? "ok";
    if (answer === "hang") return;
    if (answer === "drop") {
      for (const connection of this.#server.connections as Set<{ _socket: { destroy(): void } }>) {
        connection._socket.destroy();
      }
      return;
    }
    done(answer === "ok" ? null : Object.assign(new Error("refused by the test"), { responseCode: answer }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#server.connections as Set<{ _socket: { destroy(): void } }>) {
      connection._socket.destroy();
    }
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Returns the value of a header of a message, unfolded. */
export const headerOf = ({ raw }: ReceivedMessage, name: string): string =>
  new RegExp(`^${name}: ((?:.*\\r?\\n[ \\t])*.*)$`, "im")
    .exec(raw.split(/\r?\n\r?\n/)[0] ?? "")?.[1]
    ?.replaceAll(/\r?\n[ \t]+/g, " ") ?? "";

/** Returns the plain text of a message. */
export function textOf({ raw }: ReceivedMessage): string {
  const [, part = ""] = /Content-Type: text\/plain[^]*?\r?\n\r?\n([^]*?)\r?\n--/i.exec(raw) ?? [];
  const isQuoted = /Content-Type: text\/plain[^]*?quoted-printable[^]*?\r?\n\r?\n/i.test(
    raw.split(/text\/html/i)[0] ?? "",
  );
  const isBase64 = /Content-Type: text\/plain[^]*?base64[^]*?\r?\n\r?\n/i.test(raw.split(/text\/html/i)[0] ?? "");
  if (isBase64) return Buffer.from(part, "base64").toString("utf8");
  return isQuoted
    ? Buffer.from(
        part
          .replaceAll(/=\r?\n/g, "")
          .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      ).toString("utf8")
    : part;
}
