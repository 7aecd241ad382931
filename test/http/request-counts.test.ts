import { expect, test } from "bun:test";
import { RequestCounts } from "../../src/http/request-counts.ts";

test("requests count by method, route and status; unknown methods together", () => {
  const counts = new RequestCounts();
  counts.note("GET", "/a", { status: 200, ms: 1 });
  counts.note("GET", "/a", { status: 200, ms: 2000 });
  counts.note("GET", "/a", { status: 404, ms: 1 });
  counts.note("POST", "/a", { status: 200, ms: 1 });
  counts.note("BREW", "/b", { status: 404, ms: 1 });
  counts.note("STEEP", "/b", { status: 404, ms: 1 });
  const all = [...counts].map(({ method, route, byStatus, durations }) => ({
    method,
    route,
    byStatus: Object.fromEntries(byStatus),
    timed: durations.counts.reduce((a, b) => a + b),
  }));
  expect(all).toEqual([
    { method: "GET", route: "/a", byStatus: { 200: 2, 404: 1 }, timed: 3 },
    { method: "POST", route: "/a", byStatus: { 200: 1 }, timed: 1 },
    { method: "other", route: "/b", byStatus: { 404: 2 }, timed: 2 },
  ]);
  expect([...counts][0]?.durations.sumSeconds).toBeCloseTo(2.002);
});
