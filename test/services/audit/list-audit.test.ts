import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sha256Hex } from "../../../src/lib/ids.ts";
import type { NewAuditEntry } from "../../../src/home/identity/audit-log.ts";
import type { AuditEntry, AuditPage } from "../../../src/wire/audit/audit.ts";
import type { Caller } from "../../helpers/app.ts";
import { auditScene, type AuditScene } from "./scene.ts";

let scene: AuditScene;
const DAY_MS = 864e5;
const START = Date.UTC(2026, 0, 1);
const UUID = "dfa1a9b3-5c1c-4a4d-8f8e-0d3d5f2c7b11";

const entry = (n: number): NewAuditEntry => ({
  time: START + n * DAY_MS,
  event: n % 2 === 0 ? "session.started" : "sessions.ended",
  actorId: 100 + (n % 5),
  actor: `user${n % 5}@example.com`,
  keyId: null,
  address: null,
  target: n % 10 === 0 ? { document: { id: UUID, name: "D" }, site: { id: 77, name: "S" } } : {},
  details: { n },
  count: 1,
});

beforeAll(async () => {
  scene = await auditScene();
  await scene.entries();
  // As many that a filter needs several parts.
  scene.ctx.home.audit.append(Array.from({ length: 12_000 }, (_, n) => entry(n)));
});
afterAll(() => scene[Symbol.asyncDispose]());

const page = (query: string) => scene.must<AuditPage>("GET", `/api/audit?${query}`);
const numbersOf = ({ entries }: AuditPage) => entries.map(({ details }) => details["n"]);

describe("GET /api/audit", () => {
  test.each<[string, (number | undefined)[]]>([
    ["limit=3", [11_999, 11_998, 11_997]],
    ["event=session&limit=2", [11_998, 11_996]],
    ["event=session.started&limit=2", [11_998, 11_996]],
    ["event=sess&limit=2", []],
    ["actor=101&limit=2", [11_996, 11_991]],
    ["actor=USER1%40example.com&limit=1", [11_996]],
    [`document=${UUID}&limit=2`, [11_990, 11_980]],
    ["site=77&limit=1", [11_990]],
    ["site=78", []],
    [`until=${new Date(START + 2 * DAY_MS).toISOString()}&event=sessions`, [1]],
    [`since=${new Date(START + 11_998 * DAY_MS).toISOString()}&actor=103`, [11_998]],
    [`until=2026-01-02T01:00:00%2B01:00&event=session`, [0]],
  ])("finds entries by %s", async (query, expected) => {
    expect(numbersOf(await page(query))).toEqual(expected);
  });

  test("returns pages that have every entry once", async () => {
    const found: unknown[] = [];
    let next: number | null = null;
    do {
      const read: AuditPage = await page(`actor=104&limit=700${next === null ? "" : `&before=${next}`}`);
      found.push(...numbersOf(read));
      ({ next } = read);
    } while (next !== null);
    expect(found).toEqual(Array.from({ length: 2400 }, (_, n) => 11_999 - 5 * n));
  });

  test("streams all entries as lines, the oldest first, from which the chain can be verified", async () => {
    const headers = { Accept: "application/x-ndjson" };
    const reply = await scene.server.call("owner", "GET", "/api/audit", undefined, { headers });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
    let previous = "0".repeat(64);
    const lines = (reply.body as string).trimEnd().split("\n");
    for (const line of lines) {
      const e = JSON.parse(line) as AuditEntry;
      const fields = [e.number, Date.parse(e.time), e.event, e.actorId, e.actor, e.keyId, e.addressDigest];
      const content = [...fields, JSON.stringify(e.target), JSON.stringify(e.details), e.count];
      expect(e.hash).toBe(sha256Hex(`${previous}\n${JSON.stringify(content)}`));
      previous = e.hash;
    }
    expect(lines.length).toBe((await scene.entries()).length);
  });

  test.each<[Caller, number]>([
    ["owner", 200],
    ["editor", 403],
    ["stranger", 403],
    ["anon", 401],
    ["badkey", 401],
  ])("is for administrators: %s gets %d", async (as, status) => {
    expect((await scene.server.call(as, "GET", "/api/audit")).status).toBe(status);
    const headers = { Accept: "application/x-ndjson" };
    expect((await scene.server.call(as, "GET", "/api/audit", undefined, { headers })).status).toBe(status);
  });

  test.each(["limit=0", "limit=1001", "limit=x", "before=-1", "since=yesterday", "site=x", "event="])(
    "refuses %s",
    async (query) => {
      expect((await scene.server.call("owner", "GET", `/api/audit?${query}`)).status).toBe(400);
    },
  );
});
