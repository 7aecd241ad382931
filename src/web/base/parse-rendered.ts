import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { releaseCursor, type Rendered } from "../../services/documents/content.ts";
import type { Context } from "../../services/context.ts";

const decoder = new TextDecoder();

/**
 * An answer of a document as plain data, for pages that show it.
 * @throws AppError `tooLarge` for what would be too much inside of a page
 */
export async function parseRendered<T>(ctx: Context, grant: DocumentGrant, result: Rendered): Promise<T> {
  if (result.kind === "bytes") return JSON.parse(decoder.decode(result.bytes)) as T;
  if (result.kind === "cursor") await releaseCursor(ctx, grant, result.cursor);
  throw new AppError("tooLarge", "This is too large to be shown in a page");
}
