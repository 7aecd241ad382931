import type { z } from "../../wire/common/schema.ts";
import type { FetchDataQuery } from "../../wire/tables/record-responses.ts";
import type { Call } from "../call.ts";

interface FetchArgs {
  table: string;
  filter?: string;
  sort?: string;
  limit?: string;
  offset?: string;
  typed: boolean;
}

/**
 * Returns the arguments of a fetch. The query takes precedence over the headers X-Sort and X-Limit; an empty text
 * counts as absent.
 */
export function fetchArgs(
  call: Call,
  table: string,
  query: Omit<z.infer<typeof FetchDataQuery>, "cellFormat"> & { cellFormat?: string | undefined },
): FetchArgs {
  const { headers } = call.request;
  const sort = query.sort || headers.get("x-sort");
  const limit = query.limit || headers.get("x-limit");
  return {
    table,
    typed: query.cellFormat === "typed",
    ...(query.filter && { filter: query.filter }),
    ...(sort && { sort }),
    ...(limit && { limit }),
    ...(query.offset && { offset: query.offset }),
  };
}
