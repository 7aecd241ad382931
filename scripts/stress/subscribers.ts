import {
  type SubscribedDocument,
  type LoadSubscriber,
  NOTIFY_TIMEOUT_MS,
  measureSubscribedLoad,
} from "./subscribed-load.ts";
import type { StressTest } from "./stress-test.ts";

/** Ten programs subscribe to a document while another client loads rows into it. */
export const subscribers: StressTest = {
  name: "followers",
  missing: () => (process.platform === "linux" ? undefined : "reading memory requires Linux"),
  run: ({ isQuick }) =>
    measureSubscribedLoad(isQuick ? 2000 : 10_000, (document) =>
      Promise.all(Array.from({ length: SUBSCRIBERS }, () => subscribe(document))),
    ),
};

const SUBSCRIBERS = 10;

/** Subscribes to a document. */
async function subscribe({ address, key, doc }: SubscribedDocument): Promise<LoadSubscriber> {
  const leaving = new AbortController();
  const response = await fetch(`${address}/api/docs/${doc}/events`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: leaving.signal,
  });
  if (!response.ok || !response.body) throw new Error(`no events: ${response.status}`);
  const heard = new Map<number, number>();
  const ready = Promise.withResolvers<void>();
  let wake = () => {};
  const reading = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      const text = decoder.decode(chunk, { stream: true });
      if (text.includes("event: ready")) ready.resolve();
      for (const [, n] of text.matchAll(/^id: (\d+)-/gm)) heard.set(Number(n), performance.now());
      wake();
    }
  };
  // The stream fails when the subscription is closed.
  reading(response.body).catch(() => {});
  await ready.promise;
  return {
    async waitUntilNotified({ state }) {
      const until = performance.now() + NOTIFY_TIMEOUT_MS;
      while (!heard.has(state) && performance.now() < until) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, NOTIFY_TIMEOUT_MS);
        });
      }
      return heard.get(state) ?? Number.POSITIVE_INFINITY;
    },
    disconnect: () => leaving.abort(),
  };
}
