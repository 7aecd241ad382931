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
  while (stream.isLagging) await reader?.read();
  void reader?.read();
  expect(drained).toBeGreaterThan(before);
});

test("large contents are passed on in parts without a copy, small ones together with the next", async () => {
  const { stream } = made();
  const large = new Uint8Array(100_000).map((_, at) => at % 251);
  const taken: string[] = [];
  stream.send("small\n");
  stream.send(large, () => taken.push("large"));
  stream.send("end\n", () => taken.push("end"));
  const reader = stream.toResponse().body?.getReader();
  const parts: Uint8Array[] = [];
  for (let length = 0; length < 100_010; length += parts.at(-1)?.length ?? 0) {
    expect(taken).toEqual([]);
    const part = await reader?.read();
    parts.push(part?.value ?? new Uint8Array());
  }
  expect(taken).toEqual(["large", "end"]);
  expect(Math.max(...parts.map(({ length }) => length))).toBe(16 * 1024);
  expect(parts.filter(({ buffer }) => buffer === large.buffer).length).toBe(parts.length - 2);
  expect(parts[0]?.length).toBe(16 * 1024);
  expect(Buffer.concat(parts).equals(Buffer.concat([Buffer.from("small\n"), large, Buffer.from("end\n")]))).toBe(true);
});

test.each(["end", "disconnect"] as const)(
  "contents that are not taken before the %s are released once",
  async (how) => {
    const { stream } = made();
    let released = 0;
    const { body } = stream.toResponse();
    for (let i = 0; i < 3; i++) stream.send(KB.repeat(20), () => void released++);
    if (how === "end") stream.end();
    else await body?.cancel();
    expect(released).toBe(3);
    stream.send(KB, () => void released++);
    expect(released).toBe(4);
    stream.end();
    expect(released).toBe(4);
  },
);

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
