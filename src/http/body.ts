import { AppError, invalid } from "../errors.ts";

/** Bodies as read from the wire, before anything is known of their shape. */

/**
 * The bytes of a JSON body: null when there is none.
 * @throws AppError `tooLarge` above `limit` bytes, `invalid` for a body that is not declared as JSON
 */
export async function readJsonBytes(request: Request, limit: number): Promise<Uint8Array | null> {
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return null;
  const type = request.headers.get("content-type");
  if (!type || !/^application\/json\s*(;.*)?$/i.test(type)) {
    throw invalid("The body must be sent with Content-Type: application/json");
  }
  return bytes;
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  if (!request.body) return new Uint8Array(0);
  // A declared length was held against the limit; without one (chunked) the bytes are counted as they come.
  if (declared !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : new Uint8Array(Buffer.concat(chunks));
}

const tooLarge = (limit: number): AppError =>
  new AppError("tooLarge", `The body is larger than the ${limit} bytes this server takes`);
