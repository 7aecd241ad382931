/** Contents of attachments in a real log. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContentBytes, Ownership } from "../../../src/cluster/contents/content-types.ts";
import { LogContents } from "../../../src/cluster/contents/log-contents.ts";
import { LogDatabase } from "../../../src/cluster/postgres/log-database.ts";
import { type StoreId, toStream } from "../../../src/files/attachment-store.ts";
import { partsOfLoggedContents } from "../../../src/files/attachment-stores.ts";
import { createDatabase } from "../../helpers/postgres.ts";
import { S3_ACCESS, S3_BUCKET, type S3Server } from "../../helpers/s3.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { addDocument, addNode, INSTALLATION, sql } from "../postgres/log-fixture.ts";

export const DOC = "doc-1";
export const OWN = "quern-folder";
export const BUCKET = "quern-bucket";

export interface TestContents extends AsyncDisposable {
  readonly url: string;
  readonly database: LogDatabase;
  readonly contents: LogContents<StoreId>;
  /** Ownership by document; change it to play another owner. */
  readonly owners: Map<string, Ownership>;
  /** Documents that were given up for a new epoch. */
  readonly renewed: string[];
  /** Adds a document that the node owns, under epoch 1. */
  own(doc: string): Promise<void>;
  /** Runs any SQL. */
  sql<Row>(text: string): Promise<readonly Row[]>;
  /** Lets all times of contents be longer ago. */
  age(interval: string): Promise<void>;
}

export const RETENTION_MS = 7 * 86_400_000;

export const bucketOf = ({ endpoint }: S3Server) => ({
  endpoint,
  bucket: S3_BUCKET,
  region: "auto",
  ...S3_ACCESS,
  prefix: "q/",
});

/** Opens contents in an empty log, or another one. */
export async function startContents({ url, s3 }: { url?: string; s3?: S3Server } = {}): Promise<TestContents> {
  const address = url ?? (await createDatabase());
  const database = await LogDatabase.open(address, { installation: INSTALLATION });
  const owners = new Map<string, Ownership>();
  const renewed: string[] = [];
  const contents = new LogContents<StoreId>({
    ...partsOfLoggedContents(s3 ? bucketOf(s3) : null),
    database,
    retentionMs: RETENTION_MS,
    ownershipOf: (doc) => owners.get(doc) ?? null,
    renewEpoch: (doc) => void renewed.push(doc),
  });
  const run = async <Row>(text: string) => sql<Row>(await database.control(), text);
  return {
    url: address,
    database,
    contents,
    owners,
    renewed,
    async own(doc) {
      const connection = await database.control();
      const [known] = await run("select 1 from quern.node");
      if (!known) await addNode(connection, "node-1");
      await addDocument(connection, { doc });
      owners.set(doc, { node: "node-1", epoch: 1, acknowledgedSeq: 100, mayRead: true });
    },
    sql: run,
    async age(interval) {
      await run(`update quern.doc_blob set stored_at = stored_at - interval '${interval}',
        removed_at = removed_at - interval '${interval}'`);
      await run(`update quern.doc_blob_chunk set written_at = written_at - interval '${interval}'`);
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** Returns a file to store with its name as a content, and bytes that depend on the seed. */
export function sample(sizeBytes: number, seed = 1) {
  const bytes = new Uint8Array(sizeBytes);
  for (let i = 0; i < sizeBytes; i++) bytes[i] = (i * 31 + (i >> 8) * 7 + seed) & 0xff;
  const path = join(tempFolder(), "file");
  writeFileSync(path, bytes);
  return { bytes, ident: `${sha1(bytes)}.bin`, file: { path, sizeBytes } };
}

export const sha1 = (bytes: Uint8Array): string => createHash("sha1").update(bytes).digest("hex");

/** Returns all bytes of a content. */
export const bytesOf = async (content: ContentBytes | null): Promise<Buffer | null> =>
  content && Buffer.from(await new Response(toStream(content)).arrayBuffer());
