import { AppError } from "../errors.ts";
import type { Call } from "./call.ts";

/** Counts a request to a document until `release`. @throws AppError `limit.document_requests` */
export function acquireDocumentSlot({ services, config }: Pick<Call, "services" | "config">, uuid: string): void {
  if (services.documentLimiter.tryAcquire(uuid, config.maxParallel)) return;
  throw new AppError("limit.document_requests", "Too many concurrent requests for this document", { retryAfterS: 1 });
}

/**
 * Runs work as a request to a document, for pages: they get the calls of this server, of which their type says less.
 * @throws AppError `limit.document_requests`
 */
export async function withDocumentSlot<T>(call: object, uuid: string, work: () => Promise<T>): Promise<T> {
  const { services, config } = call as Call;
  acquireDocumentSlot({ services, config }, uuid);
  try {
    return await work();
  } finally {
    services.documentLimiter.release(uuid);
  }
}
