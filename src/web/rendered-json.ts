import type { DocumentGrant } from "../access.ts";
import { AppError } from "../errors.ts";
import { releaseParts, type Rendered } from "../services/content.ts";
import type { Context } from "../services/context.ts";

const decoder = new TextDecoder();

/**
 * An answer of a document as plain data, for pages that show it.
 * @throws AppError `tooLarge` for what would be too much inside of a page
 */
export async function renderedJson<T>(ctx: Context, grant: DocumentGrant, answer: Rendered): Promise<T> {
  if (answer.kind === "bytes") return JSON.parse(decoder.decode(answer.bytes)) as T;
  if (answer.kind === "cursor") await releaseParts(ctx, grant, answer.cursor);
  throw new AppError("tooLarge", "This is too large to be shown in a page");
}
