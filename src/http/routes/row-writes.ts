import type { z } from "../../wire/common/schema.ts";
import type { DocumentGrant } from "../../authorization.ts";
import { invalid } from "../../errors.ts";
import { type Job, LINES_PER_TRANSACTION, type LineWrite, reportOf, startJob } from "../../services/jobs/jobs.ts";
import type { Context } from "../../services/context.ts";
import { TableParams } from "../../wire/common/params.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonBytesResponse } from "../responses.ts";
import { hasLines } from "../body.ts";
import type { LineOptions } from "../../services/jobs/line-bodies.ts";
import { acceptedResponse, joinLines, needsJob, receiveLines } from "../record-lines.ts";
import { JobReport } from "../../wire/tables/jobs.ts";
import { bytesBody, bytesOrLinesBody, isDryRun, route, type Route, type RouteSpec } from "../route.ts";

/** Arguments that all requests that write rows have. */
interface RowArgs {
  /** The id, or the number as digits. */
  readonly table: string;
  /** JSON as received: the worker of the document parses it. */
  readonly body: Uint8Array | null;
  /** For a body of NDJSON, the number of the line of each record. */
  readonly lines?: readonly number[] | undefined;
}

type Spec<Q> = Pick<
  RouteSpec<unknown, Q, unknown, DocumentGrant>,
  "method" | "path" | "id" | "tag" | "summary" | "about" | "query" | "response"
> & { readonly body: z.ZodType };

/** How a route that writes rows accepts NDJSON. */
export interface LinesOption {
  readonly method: LineWrite["method"];
  /** The schema of the body. */
  readonly schema: z.ZodType;
}

/** An entry of a table of routes that write rows: contract, operation, and the mapping from query to arguments. */
export interface RowWrite<Q, A extends RowArgs> {
  readonly spec: Spec<Q>;
  readonly write: (ctx: Context, grant: DocumentGrant, args: A) => Promise<{ readonly bytes: Uint8Array }>;
  readonly argsOf: (query: Q) => Omit<A, keyof RowArgs>;
  readonly lines?: LinesOption & {
    readonly argsOf: (query: Q) => Omit<A, keyof RowArgs>;
    readonly optionsOf: (query: Q) => LineOptions;
  };
}

/** Returns the route for a contract that writes rows and its operation: for editors, with a JSON body. */
export const rowWrite = <Q, A extends RowArgs>({ spec, write, argsOf, lines }: RowWrite<Q, A>): Route =>
  route(
    {
      ...spec,
      access: documentContentAccess("editors"),
      params: TableParams,
      body: lines ? bytesOrLinesBody(spec.body, lines.schema) : bytesBody(spec.body),
      ...(lines && { accepted: JobReport }),
      dryRun: true,
      idempotency: { answerOf: ({ grant }, job) => reportOf(grant.uuid, job as Job) },
    },
    async ({ call, ctx, grant, params, query, body: json }) => {
      const respond = async (options: Omit<A, keyof RowArgs>, content: Omit<RowArgs, "table">) => {
        const args = { ...options, ...content, table: params.tableId } as unknown as A;
        return jsonBytesResponse((await write(ctx, grant, args)).bytes);
      };
      await using spool = lines && hasLines(call) ? await receiveLines(call) : null;
      if (!lines || !spool) return await respond(argsOf(query), { body: json });
      const options = lines.optionsOf(query);
      if (!needsJob(call, spool, options)) return await respond(lines.argsOf(query), await joinLines(call, spool));
      if (isDryRun(call)) throw invalid(`A dry run takes at most ${LINES_PER_TRANSACTION} lines, and no onError=skip`);
      const job = { ...options, table: params.tableId, method: lines.method };
      return acceptedResponse(await startJob(ctx, grant, spool, job));
    },
  );
