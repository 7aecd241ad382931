/** The types of answers in the client are those of the API's contract. */
import { expect, test } from "bun:test";
import type { z } from "@hono/zod-openapi";
import type { AttachmentInfo, BatchResult, DryRunReport, ErrorCode, UpsertedIds } from "../../src/sdk/index.ts";
import { CODES } from "../../src/errors/codes.ts";
import type * as attachments from "../../src/wire/attachments/attachments.ts";
import type * as batch from "../../src/wire/tables/batch.ts";
import type * as dryRun from "../../src/wire/tables/dry-run.ts";
import type * as writes from "../../src/wire/tables/record-writes.ts";
import { builtSdk } from "./built-sdk.ts";

type Names<T> = T extends readonly (infer Item)[]
  ? Names<Item>[]
  : T extends object
    ? { [K in keyof T]-?: Names<NonNullable<T[K]>> }
    : unknown;
/** True for types with the same members; the values of cells differ in how they are written. */
type SameMembers<A, B> = [Names<A>] extends [Names<B>] ? ([Names<B>] extends [Names<A>] ? true : never) : never;
type Answer<T> = T extends z.ZodType ? z.infer<T> : never;

const same: readonly true[] = [
  true satisfies SameMembers<DryRunReport, Answer<typeof dryRun.DryRunReport>>,
  true satisfies SameMembers<UpsertedIds, Answer<typeof writes.UpsertedRecords>>,
  true satisfies SameMembers<AttachmentInfo, Answer<typeof attachments.AttachmentInfo>>,
  true satisfies SameMembers<BatchResult, Answer<typeof batch.BatchResults>["results"][number]>,
];

test("are compared by the compiler", () => expect(same).toHaveLength(4));

test("codes of errors in the package are those of the server", async () => {
  const { folder } = await builtSdk();
  const declared = await Bun.file(`${folder}/error-code.d.ts`).text();
  const codes: ErrorCode[] = Object.values(CODES).flatMap((group) => Object.keys(group) as ErrorCode[]);
  expect([...declared.matchAll(/"(.*)"/g)].map(([, code]) => code)).toEqual(codes);
});

test("the package has no dependency, and imports only its own files", async () => {
  const { folder, compressedBytes } = await builtSdk();
  const manifest = (await Bun.file(`${folder}/package.json`).json()) as Record<string, unknown>;
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
  expect(await Bun.file(`${folder}/index.js`).text()).not.toMatch(/\bimport\b|\brequire\(/);
  for (const path of new Bun.Glob("**/*.d.ts").scanSync({ cwd: folder })) {
    const text = await Bun.file(`${folder}/${path}`).text();
    for (const [, from = ""] of text.matchAll(/\bfrom "([^"]*)"/g)) {
      expect(from).toMatch(/^\.\.?\/.*\.js$/);
      expect(await Bun.file(new URL(from.replace(/\.js$/, ".d.ts"), `file://${folder}/${path}`)).exists()).toBe(true);
    }
  }
  expect(compressedBytes).toBeLessThanOrEqual(10 * 1024);
});
