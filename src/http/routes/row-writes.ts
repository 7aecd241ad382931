import type { z } from "@hono/zod-openapi";
import type { DocumentGrant } from "../../authorization.ts";
import type { Context } from "../../services/context.ts";
import { TableParams } from "../../wire/common/params.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse } from "../responses.ts";
import { bytesBody, route, type Route, type RouteSpec } from "../route.ts";

/** Arguments that all requests that write rows have. */
interface RowArgs {
  /** The id, or the number as digits. */
  readonly table: string;
  /** JSON as received: the worker of the document parses it. */
  readonly body: Uint8Array | null;
}

type Spec<Q> = Pick<
  RouteSpec<unknown, Q, unknown, DocumentGrant>,
  "method" | "path" | "id" | "tag" | "summary" | "about" | "query" | "response"
> & { readonly body: z.ZodType };

/** An entry of a table of routes that write rows: contract, operation, and the mapping from query to arguments. */
export interface RowWrite<Q, A extends RowArgs> {
  readonly spec: Spec<Q>;
  readonly write: (ctx: Context, grant: DocumentGrant, args: A) => Promise<{ readonly bytes: Uint8Array }>;
  readonly argsOf: (query: Q) => Omit<A, keyof RowArgs>;
}

/** Returns the route for a contract that writes rows and its operation: for editors, with a JSON body. */
export const rowWrite = <Q, A extends RowArgs>({ spec, write, argsOf }: RowWrite<Q, A>): Route =>
  route(
    { ...spec, access: documentContentAccess("editors"), params: TableParams, body: bytesBody(spec.body) },
    async ({ ctx, grant, params, query, body }) => {
      const args = { ...argsOf(query), table: params.tableId, body } as unknown as A;
      return jsonBytesResponse((await write(ctx, grant, args)).bytes);
    },
  );
