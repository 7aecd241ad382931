import type { OpenDocument } from "../doc/document.ts";
import type { Condition, Rendered } from "./documents.ts";
import { verb } from "./verb.ts";

/** What every reading verb may be given: when the caller's copy is still good, nothing is read. */
interface Conditional {
  /** Absent: the answer is always made, and its tag is of no use. */
  readonly condition?: Condition;
}

interface FetchArgs extends Conditional {
  /** Id, or number as digits. */
  readonly table: string;
  /** JSON text, as in the query. */
  readonly filter?: string;
  /** Comma-separated, as in the query. */
  readonly sort?: string;
  /** As in the query. */
  readonly limit?: string;
  readonly typed: boolean;
}

const render = (_document: OpenDocument, _args: Conditional): Rendered => {
  throw new Error("not yet");
};

/** The verbs that read. */
export const readVerbs = {
  "tables.list": verb({
    needs: "viewers",
    run: (document, _grant, args: Conditional & { readonly expandColumns: boolean }): Rendered =>
      render(document, args),
  }),
  "columns.list": verb({
    needs: "viewers",
    run: (document, _grant, args: Conditional & { readonly table: string; readonly hidden: boolean }): Rendered =>
      render(document, args),
  }),
  "records.fetch": verb({
    needs: "viewers",
    run: (document, _grant, args: FetchArgs & { readonly hidden: boolean }): Rendered => render(document, args),
  }),
  "records.list": verb({
    needs: "viewers",
    run: (
      document,
      _grant,
      args: Conditional & { readonly table: string; readonly body: Uint8Array | null },
    ): Rendered => render(document, args),
  }),
  "data.fetch": verb({
    needs: "viewers",
    run: (document, _grant, args: FetchArgs): Rendered => render(document, args),
  }),
};
