import { expect, test } from "bun:test";
import { EventStream } from "../../src/http/event-stream.ts";

const KB = "x".repeat(1024);

/** A stream and its counter. */
function made(): { stream: EventStream; streams: { count: number } } {
  const streams = { count: 0 };
  return { stream: new EventStream(streams), streams };
}

test("sends events before and after the response begins, and ends", async () => {
  const { stream, streams } = made();
  stream.send("one\n");
  const answer = stream.toResponse();
  expect(streams.count).toBe(1);
  stream.send("two\n");
  expect(stream.isLagging).toBe(false);
  stream.end();
  stream.send("three\n");
  stream.end();
  expect(await answer.text()).toBe("one\ntwo\n");
  expect(streams.count).toBe(0);
});

test("a client that does not read lags until it has drained the buffer", async () => {
  const { stream } = made();
  let drained = 0;
  stream.onDrained = () => void drained++;
  const reader = stream.toResponse().body?.getReader();
  for (let i = 0; i < 16; i++) stream.send(KB);
  expect(stream.isLagging).toBe(true);
  const before = drained;
  for (let i = 0; i < 16; i++) await reader?.read();
  expect(stream.isLagging).toBe(false);
  expect(drained).toBeGreaterThan(before);
});

test("the end does not wait for a client that does not read", async () => {
  const { stream, streams } = made();
  const reader = stream.toResponse().body?.getReader();
  for (let i = 0; i < 20; i++) stream.send(KB);
  stream.end();
  expect(streams.count).toBe(0);
  expect(reader?.read()).rejects.toThrow("not read");
});

test("a disconnect is reported once, and no longer counts", async () => {
  const { stream, streams } = made();
  let left = 0;
  stream.onDisconnected = () => void left++;
  await stream.toResponse().body?.cancel();
  stream.send("late");
  stream.end();
  expect([left, streams.count]).toEqual([1, 0]);
  expect(stream.isLagging).toBe(true);
});
