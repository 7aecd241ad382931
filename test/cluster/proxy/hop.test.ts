/** The signed header of requests between nodes. */
import { describe, expect, test } from "bun:test";
import { type Hop, signHop, verifyHop } from "../../../src/cluster/proxy/hop.ts";

const HOP: Hop = {
  method: "POST",
  path: "/api/docs/7/tables/Orders/records?noparse=1",
  to: "node-b",
  sender: "node-a",
  serial: 3,
  requestId: "req;1=2",
  address: "2001:db8::7",
  origin: "https://team.example.org:8443",
  host: "team.example.org:8443",
  proxyUser: "olga@example.com",
  homeSeq: 41,
  doc: "4f9f4b2e-0000-4000-8000-000000000001",
  bodyHash: null,
};
const SECRET = Buffer.from("secret");
const NOW = 1_800_000_000_000;
const { method, path } = HOP;

const received = { method, path, nowMs: NOW };

test("a hop arrives as it was sent", () => {
  expect(verifyHop(SECRET, { ...received, header: signHop(SECRET, HOP, NOW) })).toEqual(HOP);
  const call = { ...HOP, host: null, proxyUser: null, doc: null, bodyHash: "hash" };
  expect(verifyHop(SECRET, { ...received, header: signHop(SECRET, call, NOW) })).toEqual(call);
});

describe("a hop is refused", () => {
  const header = signHop(SECRET, HOP, NOW);
  test.each([
    ["with another secret", { header: signHop(Buffer.from("other"), HOP, NOW) }],
    ["for another method", { header, method: "DELETE" }],
    ["for another path", { header, path: "/api/docs/8" }],
    ["for another query", { header, path: path.replace("noparse=1", "noparse=0") }],
    ["with another client address", { header: header.replace(encodeURIComponent("2001:db8::7"), "127.0.0.1") }],
    ["with another home sequence", { header: header.replace(";41;", ";42;") }],
    ["with another user of a proxy", { header: header.replace("olga", "stan") }],
    ["with another origin", { header: header.replace("https", "http") }],
    ["for another node", { header: header.replace("node-b", "node-c") }],
    ["with another number", { header: header.replace(";3;", ";4;") }],
    ["with another time", { header: header.replace(String(NOW), String(NOW + 1)) }],
    ["after 30 seconds", { header, nowMs: NOW + 30_001 }],
    ["from 30 seconds in the future", { header, nowMs: NOW - 30_001 }],
    ["without a signature", { header: header.slice(0, header.lastIndexOf(";")) }],
    ["with a longer signature", { header: `${header}A` }],
    ["that is empty", { header: "" }],
    ["that is a separator", { header: ";" }],
  ])("%s", (_, changed) => {
    expect(verifyHop(SECRET, { ...received, ...changed })).toBeNull();
  });
});
