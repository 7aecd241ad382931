import { expect } from "bun:test";
import type { Caller, TestApp } from "./app.ts";

/**
 * Caller, method, path, body → status, and the properties that the response must have (its whole body unless that is an
 * object).
 */
export type RequestStep = readonly [
  as: Caller,
  method: string,
  path: string,
  body: unknown,
  status: number,
  answer?: unknown,
];

/** Sends requests one at a time. An error response must have a message. */
export async function runSteps(server: TestApp, steps: readonly RequestStep[]): Promise<void> {
  for (const [as, method, path, body, status, answer] of steps) {
    const reply = await server.call(as, method, path, body);
    const step = `${as} ${method} ${path} ${JSON.stringify(body) ?? ""}`;
    expect({ step, status: reply.status, body: reply.body }).toMatchObject({ step, status });
    if (status >= 400) expect(reply.body).toMatchObject({ error: expect.stringMatching(/./) });
    else if (answer !== undefined) expect({ step, body: reply.body }).toMatchObject({ step, body: answer });
  }
}

/** Returns the status of the same request for different callers. */
export async function statusesByCaller(
  server: TestApp,
  people: readonly Caller[],
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
): Promise<number[]> {
  const found: number[] = [];
  for (const as of people) found.push((await server.call(as, method, path, body)).status);
  return found;
}

/** Paths of a document, of its workspace and of its site, for any host. */
export interface DocumentFixture {
  readonly site: string;
  readonly shelfId: number;
  readonly shelf: string;
  readonly uuid: string;
  readonly doc: string;
}

/** Creates a team site of the owner with a workspace and a document to which no other user has access. */
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

/** Like `createDocumentFixture`, with the document shared with the editor, the viewer, and `others`, email → role. */
export async function createSharedFixture(
  server: TestApp,
  others: Readonly<Record<string, string>> = {},
): Promise<DocumentFixture> {
  const fixture = await createDocumentFixture(server);
  const users = { "Emil@example.com": "editors", "vito@example.com": "viewers", ...others };
  await server.must("PATCH", `${fixture.doc}/access`, { delta: { users } });
  return fixture;
}
