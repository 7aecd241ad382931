import { expect, test } from "bun:test";
import { expectPoll } from "./expect-poll.ts";

test("waits until an assertion holds, also when reads fail before", async () => {
  let reads = 0;
  const read = () => {
    if (++reads === 1) throw new Error("the page navigates");
    return reads;
  };
  await expectPoll(read).toBe(3);
  expect(reads).toBe(3);
});

test("fails with the last difference when an assertion never holds", () => {
  expect(expectPoll(() => Promise.resolve({ price: 0 }), { timeoutMs: 50 }).toEqual({ price: 12.5 })).rejects.toThrow(
    /"price": 12\.5[^]*"price": 0/,
  );
  expect(expectPoll(() => Promise.reject(new Error("gone")), { timeoutMs: 50 }).toBeNull()).rejects.toThrow("gone");
});
