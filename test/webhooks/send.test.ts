/** One delivery over the network. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { parseAllowedDestination } from "../../src/lib/network/allowed-destinations.ts";
import type { AddressResolver } from "../../src/lib/network/pinned-addresses.ts";
import { AddressPolicy } from "../../src/webhooks/address-policy.ts";
import { parseRetryAfterMs, nextRetry } from "../../src/webhooks/retry-policy.ts";
import { sendDelivery } from "../../src/webhooks/send-delivery.ts";
import { signatureHeaders } from "../../src/webhooks/signature.ts";
import { WebhookReceiver } from "../helpers/webhook-receiver.ts";

let receiver: WebhookReceiver;
beforeEach(() => (receiver = new WebhookReceiver()));
afterEach(() => receiver[Symbol.dispose]());

const port = () => receiver.host.split(":")[1] ?? "";
const to = (url: string, resolve?: AddressResolver, allowed = "127.0.0.1") =>
  sendDelivery(
    { url: new URL(url), headers: { "Content-Type": "application/json" }, body: "[1]" },
    {
      policy: new AddressPolicy([parseAllowedDestination(allowed)]),
      timeoutMs: 5000,
      now: Date.now,
      ...(resolve && { resolve }),
    },
  );
const at = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }));

test("connects to the checked address, with the requested host name", async () => {
  let asked = 0;
  // A second lookup would return a private address; there is none.
  const resolve: AddressResolver = async () => (asked++ === 0 ? at("127.0.0.1") : at("10.0.0.1"));
  const sent = await to(`http://rebound.example:${port()}/x`, resolve);
  expect(sent).toMatchObject({ isSuccess: true, httpStatus: 200, message: null, isForbidden: false, answer: "ok" });
  expect(asked).toBe(1);
  expect(receiver.received[0]?.headers.get("host")).toBe(`rebound.example:${port()}`);
});

describe("is not sent", () => {
  test.each([
    ["to a name of a private address", at("10.0.0.1")],
    ["to a name of the metadata service", at("169.254.169.254")],
    ["to a name of which one address is private", at("127.0.0.1", "10.0.0.1")],
    ["to a name of an IPv4 address in disguise", [{ address: "::ffff:10.0.0.1", family: 6 }]],
  ])("%s", async (_, addresses) => {
    const sent = await to(`https://rebound.example:${port()}/`, async () => addresses);
    expect(sent).toMatchObject({ isSuccess: false, isForbidden: true, httpStatus: null });
    expect(receiver.received).toEqual([]);
  });

  test("to a name without addresses, or an unknown name", async () => {
    expect(await to("http://nowhere.example/", async () => [])).toMatchObject({ isSuccess: false, httpStatus: null });
    const unknown = async () => {
      throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    };
    expect(await to("http://nowhere.example/", unknown)).toMatchObject({ message: "ENOTFOUND: no such name" });
  });
});

describe("responses", () => {
  test("with redirects are not followed", async () => {
    receiver.replies.push(() => new Response("", { status: 307, headers: { Location: `${receiver.url}/other` } }));
    expect(await to(receiver.url)).toMatchObject({ isSuccess: false, httpStatus: 307 });
    expect(receiver.received).toHaveLength(1);
  });

  test("without end are read up to 64 KB", async () => {
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(8192).fill(97)) });
    receiver.replies.push(() => new Response(endless, { status: 400 }));
    const sent = await to(receiver.url);
    expect(sent).toMatchObject({ isSuccess: false, httpStatus: 400, message: "a".repeat(2000) });
  });

  test("after the timeout are ignored", async () => {
    receiver.replies.push(() => new Promise<Response>(() => {}));
    expect(await to(receiver.url)).toMatchObject({
      isSuccess: false,
      httpStatus: null,
      message: expect.stringContaining("in time"),
    });
  });

  test("are missing when the connection is refused", async () => {
    const dead = new WebhookReceiver();
    dead[Symbol.dispose]();
    expect(await to(dead.url)).toMatchObject({ isSuccess: false, message: expect.stringContaining("ECONNREFUSED") });
  });

  test.each([
    ["7", 7000],
    ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["soon", null],
    ["-1", null],
    ["", null],
    [undefined, null],
  ])("Retry-After %p", (header, ms) => expect(parseRetryAfterMs(header, Date.UTC(2026, 0, 1))).toBe(ms));
});

describe("delays", () => {
  const settings = { retryMs: 1000, maxAttempts: 20 };
  const wait = (failures: number, { random = 0, askedMs: retryAfterMs = null as number | null } = {}) =>
    nextRetry(settings, { failures, nowMs: 0, retryAfterMs, random });

  test("double up to 64 times, then retries get rare", () => {
    const waits = [1, 2, 3, 6, 7, 8, 19].map((failures) => wait(failures));
    expect(waits.map((one) => one.at / 1000)).toEqual([1, 2, 4, 32, 64, 64, 64]);
    expect(waits.some((one) => one.isPostponed)).toBe(false);
    expect([20, 21, 22, 40].map((failures) => wait(failures))).toEqual([
      { at: 64_000, isPostponed: true },
      { at: 128_000, isPostponed: true },
      { at: 256_000, isPostponed: true },
      { at: 3_600_000, isPostponed: true },
    ]);
  });

  test("get jitter, except the first, and respect Retry-After", () => {
    expect(wait(1, { random: 1 }).at).toBe(1000);
    expect(wait(2, { random: 1 }).at).toBe(2400);
    expect(wait(1, { askedMs: 30_000 }).at).toBe(30_000);
    expect(wait(7, { askedMs: 30_000 }).at).toBe(64_000);
    expect(wait(1, { askedMs: 10 ** 12 }).at).toBe(24 * 3_600_000);
  });
});

test("a signature matches the convention's own example", () => {
  const secret = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  const headers = signatureHeaders(secret, {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    at: 1_614_265_330_999,
    body: '{"test": 2432232314}',
  });
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});
