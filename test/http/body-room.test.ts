import { expect, test } from "bun:test";
import { BodyRoom } from "../../src/http/body-room.ts";

const FULL_FOR_ONE = expect.objectContaining({ code: "tooMany", retryAfterS: 1 });
const FULL = expect.objectContaining({ code: "unavailable", retryAfterS: 1 });

test("a caller has half of the room, all together all of it, and again what was given back", () => {
  const room = new BodyRoom(100);
  for (let i = 0; i < 8; i++) room.take("a", 100);
  expect(() => room.take("a", 1)).toThrow(FULL_FOR_ONE);
  for (let i = 0; i < 7; i++) room.take("b", 100);
  room.take("c", 100);
  expect(() => room.take("c", 1)).toThrow(FULL);
  room.giveBack("b", 100);
  room.take("c", 100);
  expect(() => room.take("c", 1)).toThrow(FULL);
  room.giveBack("a", 800);
  room.take("a", 800);
  expect(() => room.take("a", 1)).toThrow(FULL_FOR_ONE);
});
