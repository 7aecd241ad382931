/** Each hop is accepted once. */
import { expect, test } from "bun:test";
import { ReplayWindow } from "../../../src/cluster/proxy/replay-window.ts";

const NOW = 1_800_000_000_000;
const accept = (window: ReplayWindow, serial: number, sender = "a", nowMs = NOW) =>
  window.accept({ sender, serial }, nowMs);

test("a hop is accepted once, in whatever order hops arrive", () => {
  const window = new ReplayWindow();
  for (const serial of [5, 7, 6, 12, 9]) expect(accept(window, serial)).toBe(true);
  for (const serial of [5, 6, 7, 9, 12]) expect(accept(window, serial)).toBe(false);
  expect(accept(window, 8)).toBe(true);
  expect(accept(window, 8)).toBe(false);
});

test("senders are independent of each other", () => {
  const window = new ReplayWindow();
  expect(accept(window, 1, "a")).toBe(true);
  expect(accept(window, 1, "b")).toBe(true);
  expect(accept(window, 1, "b")).toBe(false);
});

test("hops that too many others have overtaken are refused, and numbers that come round again are not", () => {
  const window = new ReplayWindow();
  for (let serial = 1; serial <= 200_000; serial += 3) expect(accept(window, serial)).toBe(true);
  expect(accept(window, 2)).toBe(false);
  expect(accept(window, 199_999)).toBe(false);
  expect(accept(window, 199_998)).toBe(true);
  expect(accept(window, 1_000_000)).toBe(true);
  expect(accept(window, 999_999)).toBe(true);
  expect(accept(window, 199_997)).toBe(false);
});

test("senders are forgotten when all their hops have expired", () => {
  const window = new ReplayWindow();
  expect(accept(window, 1, "a", NOW)).toBe(true);
  expect(accept(window, 1, "b", NOW + 60_000)).toBe(true);
  expect(accept(window, 1, "a", NOW + 60_000)).toBe(false);
});
