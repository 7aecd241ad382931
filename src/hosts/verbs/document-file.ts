import { verb } from "./verb.ts";

interface SqlSource {
  /** The document's file, which stays open as long as it is used regularly. */
  readonly path: string;
}

/** Verbs for the document's file as a whole. */
export const documentFileVerbs = {
  /** Throws unless the caller may copy the whole document. */
  "document.mayCopy": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: (_document, _grant, _args: null): null => null,
  }),
  /** Returns the path of the document's file, for callers that copy the whole document. */
  "document.file": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: ({ path }, _grant, _args: null): string => path,
  }),
  /** Throws unless the caller may replace the document's content. */
  "document.mayReplace": verb({
    needs: "owners",
    reads: "snapshot",
    changes: "none",
    run: (_document, _grant, _args: null): null => null,
  }),
  /** Checkpoints the write-ahead log into the document's file. */
  "document.flush": verb({
    needs: "editors",
    changes: "none",
    underRules: "unaffected",
    run: (document, _grant, _args: null): null => {
      document.checkpoint("passive");
      return null;
    },
  }),
  /** Opens the document for the caller's SQL queries, which ignore access rules and run in separate processes. */
  "sql.open": verb({
    needs: "viewers",
    reads: "snapshot",
    underRules: "requiresFullAccess",
    run: ({ path }, _grant, _args: object): SqlSource => ({ path }),
  }),
};
