import { expect } from "bun:test";
import type { As, TestApp } from "./app.ts";

/** As whom, method, path, body → status, and what the answer must hold (the whole of it where it is no object). */
export type Step = readonly [as: As, method: string, path: string, body: unknown, status: number, answer?: unknown];

/** Sends one request after the other. A refusal must say why. */
export async function play(server: TestApp, steps: readonly Step[]): Promise<void> {
  for (const [as, method, path, body, status, answer] of steps) {
    const reply = await server.call(as, method, path, body);
    const step = `${as} ${method} ${path} ${JSON.stringify(body) ?? ""}`;
    expect({ step, status: reply.status, body: reply.body }).toMatchObject({ step, status });
    if (status >= 400) expect(reply.body).toMatchObject({ error: expect.stringMatching(/./) });
    else if (answer !== undefined) expect({ step, body: reply.body }).toMatchObject({ step, body: answer });
  }
}

/** What a caller may be told: the status of the same request by different people. */
export async function statuses(
  server: TestApp,
  people: readonly As[],
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
): Promise<number[]> {
  const found: number[] = [];
  for (const as of people) found.push((await server.call(as, method, path, body)).status);
  return found;
}
