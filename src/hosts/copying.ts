import { verb } from "./verbs/verb.ts";

export const documentFileVerbs = {
  /** Nothing when the caller may copy the document as a whole, else the refusal. */
  "document.mayCopy": verb({
    needs: "viewers",
    underRules: "copies",
    run: (_document, _grant, _args: null): null => null,
  }),
  /** The path of the document's file, for whoever copies all of it. */
  "document.file": verb({
    needs: "viewers",
    underRules: "copies",
    run: ({ path }, _grant, _args: null): string => path,
  }),
  /** Nothing when the caller may put another content in place of the document's. */
  "document.mayReplace": verb({ needs: "owners", run: (_document, _grant, _args: null): null => null }),
  /** Brings what is in the log of changes into the document's file. */
  "document.flush": verb({
    needs: "editors",
    underRules: "untouched",
    run: ({ db }, _grant, _args: null): null => {
      db.exec("pragma wal_checkpoint(passive)");
      return null;
    },
  }),
};
