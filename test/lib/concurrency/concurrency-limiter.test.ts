import { expect, test } from "bun:test";
import { ConcurrencyLimiter } from "../../../src/lib/concurrency/concurrency-limiter.ts";

test("limits concurrency and runs the queue in order, despite failures", async () => {
  const slots = new ConcurrencyLimiter(2);
  const events: string[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const runs = gates.map((gate, i) =>
    slots.run(async () => {
      events.push(`start ${i}`);
      await gate.promise;
      events.push(`end ${i}`);
      if (i === 0) throw new Error("failed");
      return i;
    }),
  );
  await Promise.resolve();
  expect(events).toEqual(["start 0", "start 1"]);
  gates[0]?.resolve();
  expect(await runs[0]?.catch((error: Error) => error.message)).toBe("failed");
  gates[1]?.resolve();
  expect(await runs[1]).toBe(1);
  for (const gate of gates) gate.resolve();
  expect(await Promise.all(runs.slice(2))).toEqual([2, 3]);
  expect(events).toEqual(["start 0", "start 1", "end 0", "start 2", "end 1", "start 3", "end 2", "end 3"]);
});
