import { expect, test } from "bun:test";
import { RequestMetrics } from "../../src/http/request-metrics.ts";

test("requests are counted by method, route and status; unknown methods together", () => {
  const counts = new RequestMetrics();
  counts.record("GET", "/a", { status: 200, ms: 1 });
  counts.record("GET", "/a", { status: 200, ms: 2000 });
  counts.record("GET", "/a", { status: 404, ms: 1 });
  counts.record("POST", "/a", { status: 200, ms: 1 });
  counts.record("BREW", "/b", { status: 404, ms: 1 });
  counts.record("STEEP", "/b", { status: 404, ms: 1 });
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
