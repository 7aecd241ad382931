import { expect, test } from "bun:test";
import type { DocumentRuntime } from "../../src/hosts/document-runtime.ts";
import { createLazyRuntime } from "../../src/hosts/lazy-runtime.ts";

/** A runtime that records its calls. */
function notingHost(): { host: DocumentRuntime; asked: string[] } {
  const asked: string[] = [];
  const host = {
    createFile: async (path: string) => void asked.push(`file ${path}`),
    measure: async () => ({ open: 3, threads: 1, readers: 0, logBytes: 0 }),
    close: async () => void asked.push("close"),
  } as Partial<DocumentRuntime> as DocumentRuntime;
  return { host, asked };
}

test("the runtime is created once, on first use", async () => {
  const { host, asked } = notingHost();
  let made = 0;
  const lazy = createLazyRuntime(async () => {
    made++;
    return host;
  });
  expect([made, await lazy.measure()]).toEqual([0, { open: 0, threads: 0, readers: 0, logBytes: 0 }]);
  await Promise.all([lazy.createFile("a"), lazy.createFile("b")]);
  expect([made, await lazy.measure()]).toEqual([1, { open: 3, threads: 1, readers: 0, logBytes: 0 }]);
  await lazy.close();
  expect(asked).toEqual(["file a", "file b", "close"]);
});

test("a runtime that was never used is not created by close or later calls", async () => {
  let made = 0;
  const lazy = createLazyRuntime(async () => {
    made++;
    return notingHost().host;
  });
  await lazy.close();
  const refused = await lazy.createFile("a").catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "unavailable" });
  expect(made).toBe(0);
});
