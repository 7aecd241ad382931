import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { releaseCursor, type Rendered } from "../../services/documents/content.ts";
import type { Context } from "../../services/context.ts";

const decoder = new TextDecoder();

/**
 * Parses a rendered response of a document, for pages that show it.
 * @throws AppError `tooLarge` for results too large for a page
 */
export async function parseRendered<T>(ctx: Context, grant: DocumentGrant, result: Rendered): Promise<T> {
  if (result.kind === "bytes") return JSON.parse(decoder.decode(result.bytes)) as T;
  if (result.kind === "cursor") await releaseCursor(ctx, grant, result.cursor);
  throw new AppError("tooLarge", "The result is too large to show on a page");
}
