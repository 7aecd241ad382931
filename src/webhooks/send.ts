import { lookup } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import type { Outcome } from "../hosts/documents.ts";
import { guarded } from "../lib/callbacks.ts";
import { hostOf, type AddressPolicy } from "./addresses.ts";
import { askedWaitMs } from "./retries.ts";

/** Names to addresses; what the system knows, unless a test says otherwise. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface Sending {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions {
  readonly policy: AddressPolicy;
  readonly resolve?: Resolve;
  /** For finding the address, connecting and answering together. */
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Breaks it off. */
  readonly signal?: AbortSignal;
}

/** What came of sending something. */
export interface Sent extends Outcome {
  /** What the receiver asked to wait before the next try; null when nothing. */
  readonly askedMs: number | null;
  /** The answer's text, as far as it was read. */
  readonly answer: string;
}

/** How much of an answer is read. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** How much of that is kept. */
const MAX_MESSAGE = 2000;

class Refused extends Error {}

/**
 * Sends a POST. The address is found once, checked, and connected to as it was checked: a name that stands for
 * another address a moment later makes no difference. Redirects are answers like any other. Never throws.
 */
export async function send(sending: Sending, options: SendOptions): Promise<Sent> {
  const at = options.now();
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([deadline, options.signal]) : deadline;
  let isForbidden = false;
  let answer: Answer | null = null;
  let message: string;
  try {
    const addresses = await within(signal, addressesOf(sending.url, options));
    answer = await post(sending, addresses, signal);
    message = answer.text || `The receiver answered ${answer.status}`;
  } catch (error) {
    isForbidden = error instanceof Refused;
    message = deadline.aborted ? "The receiver did not answer in time" : messageOf(error);
  }
  const isSuccess = answer !== null && answer.status >= 200 && answer.status < 300;
  return {
    at,
    durationMs: Math.max(0, options.now() - at),
    isSuccess,
    httpStatus: answer?.status ?? null,
    message: isSuccess ? null : message.slice(0, MAX_MESSAGE),
    isForbidden,
    askedMs: isSuccess ? null : askedWaitMs(answer?.retryAfter, options.now()),
    answer: (answer?.text ?? "").slice(0, MAX_MESSAGE),
  };
}

/** @throws Refused when any of them may not be called: which one a connection takes is not ours to say */
async function addressesOf(
  url: URL,
  { policy, resolve = resolveBySystem }: SendOptions,
): Promise<readonly ResolvedAddress[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new Error("The receiver's name has no address");
  if (!addresses.every(({ address }) => policy.mayConnect(url, address))) {
    throw new Refused("The address is not one that this server calls");
  }
  return addresses;
}

const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

function post(
  { url, headers, body }: Sending,
  addresses: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const make = url.protocol === "https:" ? httpsRequest : httpRequest;
    const options = {
      method: "POST",
      headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
      lookup: pinned(addresses),
    };
    const request = make(url, options, (response) => {
      const status = response.statusCode ?? 0;
      const parts: Buffer[] = [];
      let size = 0;
      const finish = guarded(() => {
        resolve({
          status,
          text: Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES).toString("utf8"),
          retryAfter: response.headers["retry-after"],
        });
        signal.removeEventListener("abort", abort);
      });
      const take = guarded((part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size < MAX_ANSWER_BYTES) return;
        finish();
        request.destroy();
      });
      response.on("data", take);
      response.on("end", finish);
      // The status was answered; that the rest is missing changes nothing about it.
      response.on("error", finish);
      response.on("close", finish);
      signal.addEventListener("abort", finish, { once: true });
    });
    const abort = guarded(() => {
      reject(new Error("broken off"));
      request.destroy();
    });
    signal.addEventListener("abort", abort, { once: true });
    request.on("error", guarded(reject));
    request.end(body);
  });
}

type LookupCallback = (
  error: Error | null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

/** Answers the addresses that were checked, whatever is asked for. */
const pinned =
  (addresses: readonly ResolvedAddress[]) =>
  (_host: string, options: { all?: boolean | undefined }, callback: LookupCallback): void => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };

/** The result of `work`, unless the signal comes first. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = guarded(() => reject(new Error("broken off")));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** What people know: `ECONNREFUSED` says more than what a library makes of it. */
function messageOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof message === "string" && message !== "" ? message : "The receiver could not be reached";
  return typeof code === "string" && !text.includes(code) ? `${code}: ${text}` : text;
}
