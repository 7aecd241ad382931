import type { DocumentGrant } from "../../authorization.ts";
import type { TypedTable } from "../../exchange/typed-table.ts";
import type { Context } from "../context.ts";
import { type CacheCondition, describeTypes, nextChunk, type Rendered } from "./content.ts";

/** Returns the visible tables of a document as declarations in TypeScript. */
export async function declareTypes(ctx: Context, grant: DocumentGrant, condition: CacheCondition): Promise<Rendered> {
  const described = await describeTypes(ctx, grant, { condition });
  if (described.kind === "unchanged") return described;
  // Loaded on first use.
  const { writeTypes } = await import("../../exchange/write-types.ts");
  const tables = JSON.parse(await textOf(ctx, grant, described)) as TypedTable[];
  return { kind: "bytes", tag: described.tag, bytes: Buffer.from(writeTypes(tables)) };
}

async function textOf(
  ctx: Context,
  grant: DocumentGrant,
  rendered: Exclude<Rendered, { kind: "unchanged" }>,
): Promise<string> {
  if (rendered.kind === "bytes") return Buffer.from(rendered.bytes).toString();
  const chunks = [rendered.first];
  for (;;) {
    const chunk = await nextChunk(ctx, grant, rendered.cursor);
    if (chunk === null) return Buffer.concat(chunks).toString();
    chunks.push(chunk);
  }
}
