/** Tests for every attachment store, and for each kind. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AppError } from "../../src/errors.ts";
import { BucketObjects, openBucket } from "../../src/files/bucket-objects.ts";
import { BucketStore } from "../../src/files/bucket-store.ts";
import { FolderStore } from "../../src/files/folder-store.ts";
import { type AttachmentStore, isIdent, toStream, type ExternalStore } from "../../src/files/attachment-store.ts";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { InlineStore } from "../../src/services/attachments/attachment-stores.ts";
import { guardDocument } from "../../src/services/access/guards.ts";
import { USERS, sampleDocument, testApp, type TestApp } from "../helpers/app.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { S3_ACCESS, S3_BUCKET, startS3Server, type S3Server } from "../helpers/s3.ts";

let server: TestApp;
let s3: S3Server;
beforeAll(async () => {
  server = await testApp();
  s3 = startS3Server();
});
afterAll(async () => {
  s3[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

const identOf = (bytes: Uint8Array, ending = ".bin"): string =>
  new Bun.CryptoHasher("sha1").update(bytes).digest("hex") + ending;

/** Returns a file to store, with its ident. */
function sample(content: string | Uint8Array, ending?: string) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const path = join(tempFolder(), "file");
  writeFileSync(path, bytes);
  return { ident: identOf(bytes, ending), file: { path, sizeBytes: bytes.length } };
}

const folderStore = (): FolderStore => new FolderStore(join(tempFolder(), "attachments"));
const bucketStore = (prefix = `${crypto.randomUUID()}/`, access = {}): BucketStore => {
  const settings = { endpoint: s3.endpoint, bucket: S3_BUCKET, region: "auto", ...S3_ACCESS, ...access };
  return new BucketStore(new BucketObjects(openBucket(settings), prefix));
};
async function insideStore(): Promise<InlineStore> {
  const { doc } = await sampleDocument(server);
  const { ctx } = server.app;
  const grant = guardDocument(ctx, actorForCommand(ctx, USERS.owner.email), { kind: "personal" }, doc, "owners");
  return new InlineStore(ctx, grant);
}

async function read(store: AttachmentStore, ident: string, range?: { start: number; end: number }) {
  const content = await store.read(ident, range);
  return content && new Response(toStream(content)).text();
}

const STORES: [name: string, make: () => AttachmentStore | Promise<AttachmentStore>][] = [
  ["inside the document", insideStore],
  ["in a folder", folderStore],
  ["in a bucket", () => bucketStore()],
];

describe.each(STORES)("%s", (_name, make) => {
  test("reads stored contents, whole and by range", async () => {
    const store = await make();
    const { ident, file } = sample("0123456789");
    await store.put(ident, file);
    expect(await store.size(ident)).toBe(10);
    expect(await read(store, ident)).toBe("0123456789");
    expect(await read(store, ident, { start: 0, end: 3 })).toBe("012");
    expect(await read(store, ident, { start: 8, end: 100 })).toBe("89");
    expect(await read(store, ident, { start: 4, end: 5 })).toBe("4");
  });

  test("stores empty contents", async () => {
    const store = await make();
    const { ident, file } = sample("");
    await store.put(ident, file);
    expect([await store.size(ident), await read(store, ident)]).toEqual([0, ""]);
  });

  test("put is idempotent", async () => {
    const store = await make();
    const first = sample("same");
    await store.put(first.ident, first.file);
    const again = sample("same");
    await store.put(again.ident, again.file);
    expect(await read(store, first.ident)).toBe("same");
  });

  test("returns null for missing contents", async () => {
    const store = await make();
    for (const ident of [identOf(new Uint8Array(9)), "..", "../../home.sqlite", "", "x".repeat(40)]) {
      expect([ident, await store.size(ident), await store.read(ident)]).toEqual([ident, null, null]);
    }
  });

  test("accepts extensions in other scripts", async () => {
    const store = await make();
    const { ident, file } = sample("text", ".日本%&'");
    expect(isIdent(ident)).toBe(true);
    await store.put(ident, file);
    expect(await read(store, ident)).toBe("text");
  });

  test("round-trips large contents", async () => {
    const store = await make();
    const bytes = new Uint8Array(7_000_000).map((_, i) => (i * 31 + (i >> 8)) & 0xff);
    const { ident, file } = sample(bytes);
    await store.put(ident, file);
    const content = await store.read(ident);
    const found = new Uint8Array(await new Response(content && toStream(content)).arrayBuffer());
    expect(identOf(found)).toBe(ident);
  });
});

const SWEPT: [name: string, make: () => ExternalStore][] = [
  ["in a folder", folderStore],
  ["in a bucket", () => bucketStore()],
];

describe.each(SWEPT)("%s, outside of the document", (_name, make) => {
  async function filled() {
    const store = make();
    const idents: string[] = [];
    for (const content of ["a", "b", "c", "d", "e"]) {
      const { ident, file } = sample(content);
      await store.put(ident, file);
      idents.push(ident);
    }
    const held = async () => {
      const sizes = await Promise.all(idents.map((ident) => store.size(ident)));
      return sizes.map((size) => size !== null);
    };
    return { store, idents, held };
  }

  test("remove is idempotent", async () => {
    const { store, idents, held } = await filled();
    await store.remove(idents[1] ?? "");
    await store.remove(idents[1] ?? "");
    await store.remove("..");
    expect(await held()).toEqual([true, false, true, true, true]);
  });

  test("sweep deletes old unreferenced contents", async () => {
    const { store, idents, held } = await filled();
    const referenced = new Set([idents[0], idents[4]]);
    const isReferenced = (ident: string) => referenced.has(ident);
    expect(await store.sweep(isReferenced, Date.now() - 3_600_000)).toBe(0);
    expect(await store.sweep(isReferenced, Date.now() + 60_000)).toBe(3);
    expect(await held()).toEqual([true, false, false, false, true]);
  });

  test("clear deletes all contents of one document only", async () => {
    const one = await filled();
    const other = await filled();
    await one.store.clear();
    await one.store.clear();
    expect(await one.held()).toEqual([false, false, false, false, false]);
    expect(await other.held()).toEqual([true, true, true, true, true]);
  });
});

describe("the folder", () => {
  test("moves the file to the name of the content", async () => {
    const parent = tempFolder();
    const store = new FolderStore(join(parent, "attachments"));
    const { ident, file } = sample("text", ".txt");
    await store.put(ident, file);
    expect(readdirSync(join(parent, "attachments"))).toEqual([ident]);
    expect(readFileSync(join(parent, "attachments", ident), "utf8")).toBe("text");
  });

  test("is not recreated after its document was deleted", async () => {
    const store = new FolderStore(join(tempFolder(), "gone", "attachments"));
    const { ident, file } = sample("text");
    const refusal: unknown = await store.put(ident, file).catch((error: unknown) => error);
    expect((refusal as AppError).code).toBe("notFound");
    expect(await store.size(ident)).toBeNull();
  });

  test("put renews an existing content, so that no sweep deletes it before it is referenced", async () => {
    const parent = tempFolder();
    const store = new FolderStore(join(parent, "attachments"));
    const { ident, file } = sample("text");
    await store.put(ident, file);
    const path = join(parent, "attachments", ident);
    utimesSync(path, 1000, 1000);
    const again = sample("text");
    await store.put(ident, again.file);
    expect(statSync(path).mtimeMs).toBeGreaterThan(1_000_000);
    expect(await store.sweep(() => false, Date.now() - 3_600_000)).toBe(0);
  });

  test("sweep deletes partial files after a crash", async () => {
    const parent = tempFolder();
    mkdirSync(join(parent, "attachments"));
    writeFileSync(join(parent, "attachments", "abc.part"), "half");
    expect(await new FolderStore(join(parent, "attachments")).sweep(() => false, Date.now() + 1000)).toBe(1);
  });

  test("shares bytes with another document, and each deletes only its own link", async () => {
    const [one, other] = [folderStore(), folderStore()];
    const { ident, file } = sample("shared");
    await one.put(ident, file);
    expect(await other.copyFrom(ident, one)).toBe(true);
    expect(await other.copyFrom(ident, one)).toBe(true);
    await one.remove(ident);
    expect([await read(one, ident), await read(other, ident)]).toEqual([null, "shared"]);
    expect(await one.copyFrom(identOf(new Uint8Array(3)), other)).toBe(false);
  });
});

describe("the bucket", () => {
  test("sends signed requests for objects below the document's prefix", async () => {
    const store = bucketStore("quern/some-document/");
    const { ident, file } = sample("text", ".ü");
    await store.put(ident, file);
    expect(s3.objects.has(`quern/some-document/${encodeURIComponent(ident)}`)).toBe(true);
    expect(s3.requests.at(-1)).toMatchObject({ method: "PUT" });
  });

  test("requests ranges only", async () => {
    const store = bucketStore();
    const { ident, file } = sample(new Uint8Array(500_000));
    await store.put(ident, file);
    expect((await read(store, ident, { start: 10, end: 20 }))?.length).toBe(10);
  });

  test("uploads large files in parts", async () => {
    const store = bucketStore();
    const before = s3.requests.length;
    const { ident, file } = sample(new Uint8Array(12_000_000));
    await store.put(ident, file);
    expect(s3.requests.slice(before).filter(({ query }) => query.includes("partNumber"))).not.toHaveLength(0);
    expect(await store.size(ident)).toBe(12_000_000);
  });

  test.each([
    ["a wrong key", () => bucketStore("x/", { accessKeyId: "somebody-else" })],
    ["no such bucket", () => bucketStore("x/", { bucket: "nowhere" })],
    ["nobody there", () => bucketStore("x/", { endpoint: "http://127.0.0.1:9" })],
  ])("is unavailable with %s", async (_what, make) => {
    const { ident, file } = sample("text");
    const refusals = await Promise.all(
      [make().put(ident, file), make().clear(), make().sweep(() => true, 0)].map((asked) =>
        Promise.resolve(asked).catch((error: unknown) => (error as AppError).code),
      ),
    );
    expect(refusals).toEqual(["unavailable", "unavailable", "unavailable"]);
  });
});
