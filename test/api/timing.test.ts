/** Formula timing by column. */
import { expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { type DocumentFixture, runSteps, createSharedFixture, statusesByCaller } from "../helpers/request-steps.ts";

interface Timing {
  readonly tableId: string;
  readonly colId: string;
  readonly sum: number;
  readonly count: number;
  readonly average: number;
  readonly max: number;
}

async function timed(server: TestApp): Promise<DocumentFixture> {
  const place = await createSharedFixture(server);
  const columns = [
    { id: "N", fields: { type: "Int" } },
    { id: "Slow", fields: { type: "Int", isFormula: true, formula: "sum(range($N))" } },
    { id: "Next", fields: { type: "Int", isFormula: true, formula: "$Slow + 1" } },
  ];
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Work", columns }] });
  return place;
}

const add = ({ must }: TestApp, { doc }: DocumentFixture, ...values: number[]) =>
  must("POST", `${doc}/tables/Work/records`, { records: values.map((N) => ({ fields: { N } })) });
const read = async ({ must }: TestApp, { doc }: DocumentFixture) =>
  (await must<{ timing: Timing[] }>("GET", `${doc}/timing`)).timing;
const counts = (timings: readonly Timing[]) =>
  Object.fromEntries(timings.map(({ tableId, colId, count }) => [`${tableId}.${colId}`, count]));

test("formulas are timed by column from start to stop, for owners", async () => {
  await using server = await testApp();
  const place = await timed(server);
  const { doc, uuid } = place;
  const people = ["editor", "viewer", "stranger", "anon", "badkey"] as const;
  for (const [method, path] of [
    ["GET", ""],
    ["POST", "/start"],
    ["POST", "/stop"],
  ] as const) {
    expect(await statusesByCaller(server, people, [method, `${doc}/timing${path}`])).toEqual([403, 403, 403, 403, 401]);
  }
  await add(server, place, 1);
  await runSteps(server, [
    ["owner", "GET", `${doc}/timing`, undefined, 200, { status: "disabled" }],
    ["owner", "POST", `${doc}/timing/stop`, undefined, 400],
    ["owner", "POST", `${doc}/timing/start`, undefined, 200, "OK"],
  ]);
  expect(await server.must<object>("GET", `${doc}/timing`)).toEqual({ status: "active", timing: [] });
  expect((await server.call("owner", "POST", `${doc}/timing/start`)).body.error).toBe(
    `Timing already started for ${uuid}`,
  );
  await add(server, place, 20_000, 10, 10);
  const timings = await read(server, place);
  expect(counts(timings)).toEqual({ "Work.Slow": 3, "Work.Next": 3 });
  for (const { sum, count, average, max } of timings) {
    expect(sum).toBeGreaterThan(0);
    expect(average).toBeCloseTo(sum / count, 12);
    expect(max).toBeWithin(average, sum + 1e-9);
  }
  // The evaluation of other columns does not count.
  const [slow, next] = [timings.find(({ colId }) => colId === "Slow"), timings.find(({ colId }) => colId === "Next")];
  expect(slow?.max).toBeGreaterThan(next?.max ?? 0);
  const stopped = await server.must<Timing[]>("POST", `${doc}/timing/stop`);
  expect(counts(stopped)).toEqual({ "Work.Slow": 3, "Work.Next": 3 });
  const again = await server.call("owner", "POST", `${doc}/timing/stop`);
  expect([again.status, again.body.error]).toEqual([400, `Timing not started for ${uuid}`]);
  await add(server, place, 5);
  expect(await server.must<object>("GET", `${doc}/timing`)).toEqual({ status: "disabled" });
  await server.must("POST", `${doc}/timing/start`);
  expect(await read(server, place)).toEqual([]);
});

test("timing continues after the document was closed, and copies do not have it", async () => {
  await using server = await testApp();
  const place = await timed(server);
  const { doc, shelfId } = place;
  await server.must("POST", `${doc}/timing/start`);
  await add(server, place, 1);
  await server.must("POST", `${doc}/force-reload`);
  expect(counts(await read(server, place))).toEqual({ "Work.Slow": 1, "Work.Next": 1 });
  await add(server, place, 2, 3);
  await server.must("POST", `${doc}/force-reload`);
  await add(server, place, 4);
  expect(counts(await read(server, place))).toEqual({ "Work.Slow": 4, "Work.Next": 4 });
  const copy = await server.must<string>("POST", `${doc}/copy`, { workspaceId: shelfId, documentName: "Copy" });
  expect(await server.must<object>("GET", `/o/docs/api/docs/${copy}/timing`)).toEqual({ status: "disabled" });
  await server.must("POST", `${doc}/timing/stop`);
  await server.must("POST", `${doc}/force-reload`);
  expect(await server.must<object>("GET", `${doc}/timing`)).toEqual({ status: "disabled" });
});
