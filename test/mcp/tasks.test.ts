import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/client";
import type { TestApp } from "../helpers/app.ts";
import { type ListeningApp, listeningApp } from "../helpers/listening-app.ts";
import { limitedKey } from "../helpers/limited-keys.ts";
import { callTool, createMcpSite } from "./mcp-site.ts";
import type { Scene, Task, ToolStep } from "./task.ts";
import { TASKS } from "./tasks.ts";
import { WAYS } from "./ways.ts";

let server: TestApp;
let listening: ListeningApp;
let address: string;

beforeAll(async () => {
  listening = await listeningApp();
  ({ server, address } = listening);
});
afterAll(async () => {
  await listening[Symbol.asyncDispose]();
});

test("there are at least 20 tasks, 8 of which are refused", () => {
  expect(TASKS.length).toBeGreaterThanOrEqual(20);
  const refused = TASKS.filter(({ steps }) => steps.some((step) => "tool" in step && step.refusedWith !== undefined));
  expect(refused.length).toBeGreaterThanOrEqual(8);
});

let sites = 0;

describe.each(WAYS)("over $name", (way) => {
  /** By key: starting a process takes long. */
  const clients = new Map<string, Promise<Client>>();
  afterAll(async () => {
    for (const client of clients.values()) await (await client).close();
  });
  const clientOf = (key: string) => {
    const known = clients.get(key) ?? way.connect(address, key);
    clients.set(key, known);
    return known;
  };

  test.each(TASKS)(
    "$goal",
    async (task) => {
      const stockName = `Stock ${++sites}`;
      const site = await createMcpSite(server, stockName);
      const client = await clientOf(keyOf(task));
      const results: unknown[] = [];
      const scene: Scene = { ...site, results };
      for (const step of task.steps) {
        if ("tool" in step) results.push(await runTool(client, step, scene));
        else await sendByOther(step, scene);
      }
      await expectRows(scene, "Orders", task.orders);
      await expectRows(scene, "Customers", task.customers);
    },
    30_000,
  );
});

const limitedKeys = new Map<Task, string>();

function keyOf(task: Task): string {
  if (!task.limits) return server.keys[task.as ?? "owner"];
  const key = limitedKeys.get(task) ?? limitedKey(server, task.as ?? "owner", task.limits);
  limitedKeys.set(task, key);
  return key;
}

async function runTool(client: Client, { tool, args, gives, refusedWith }: ToolStep, scene: Scene): Promise<unknown> {
  const { isError, result, text } = await callTool(client, tool, args(scene));
  // Matching may change the value.
  const kept: unknown = structuredClone(result);
  expect({ tool, isError, result }).toMatchObject({ tool, isError: refusedWith !== undefined, result: gives });
  expect(JSON.parse(text)).toEqual(kept);
  if (refusedWith !== undefined) expect(result.next).toContain(refusedWith);
  return kept;
}

async function sendByOther(step: Exclude<Task["steps"][number], ToolStep>, scene: Scene): Promise<void> {
  const [method, path, body] = step.request(scene);
  const { status, body: answer } = await server.call(step.by, method, path, body);
  expect({ path, status, answer }).toMatchObject({ status: 200 });
}

async function expectRows({ stock }: Scene, table: string, expected: readonly object[] | undefined): Promise<void> {
  if (!expected) return;
  const { records } = await server.must<{ records: { fields: object }[] }>(
    "GET",
    `/api/docs/${stock}/tables/${table}/records?sort=id`,
  );
  expect(records.map(({ fields }) => fields)).toMatchObject([...expected]);
}
