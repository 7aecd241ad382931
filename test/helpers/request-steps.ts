import { expect } from "bun:test";
import type { Caller, TestApp } from "./app.ts";

/** As whom, method, path, body → status, and what the answer must hold (the whole of it where it is no object). */
export type RequestStep = readonly [
  as: Caller,
  method: string,
  path: string,
  body: unknown,
  status: number,
  answer?: unknown,
];

/** Sends one request after the other. A refusal must say why. */
export async function runSteps(server: TestApp, steps: readonly RequestStep[]): Promise<void> {
  for (const [as, method, path, body, status, answer] of steps) {
    const reply = await server.call(as, method, path, body);
    const step = `${as} ${method} ${path} ${JSON.stringify(body) ?? ""}`;
    expect({ step, status: reply.status, body: reply.body }).toMatchObject({ step, status });
    if (status >= 400) expect(reply.body).toMatchObject({ error: expect.stringMatching(/./) });
    else if (answer !== undefined) expect({ step, body: reply.body }).toMatchObject({ step, body: answer });
  }
}

/** What a caller may be told: the status of the same request by different people. */
export async function statusesByCaller(
  server: TestApp,
  people: readonly Caller[],
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
): Promise<number[]> {
  const found: number[] = [];
  for (const as of people) found.push((await server.call(as, method, path, body)).status);
  return found;
}

/** Addresses of a document, of its workspace and of its site, found from any host. */
export interface DocumentFixture {
  readonly site: string;
  readonly shelfId: number;
  readonly shelf: string;
  readonly uuid: string;
  readonly doc: string;
}

/** A new team site of the owner's with a workspace and a document in it: nobody else has any access. */
export async function createDocumentFixture({ must }: TestApp): Promise<DocumentFixture> {
  const base = "/o/docs/api";
  const orgId = await must<number>("POST", `${base}/orgs`, { name: "Fresh" });
  const shelfId = await must<number>("POST", `${base}/orgs/${orgId}/workspaces`, { name: "Shelf" });
  const uuid = await must<string>("POST", `${base}/workspaces/${shelfId}/docs`, { name: "Paper" });
  return {
    site: `${base}/orgs/${orgId}`,
    shelfId,
    shelf: `${base}/workspaces/${shelfId}`,
    uuid,
    doc: `${base}/docs/${uuid}`,
  };
}

/** The same with the document shared: with the editor and the viewer as such, and with `others`, address → role. */
export async function createSharedFixture(
  server: TestApp,
  others: Readonly<Record<string, string>> = {},
): Promise<DocumentFixture> {
  const place = await createDocumentFixture(server);
  const users = { "Emil@example.com": "editors", "vito@example.com": "viewers", ...others };
  await server.must("PATCH", `${place.doc}/access`, { delta: { users } });
  return place;
}
