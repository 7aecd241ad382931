import { verb } from "./verb.ts";

export const copyingVerbs = {
  /** Nothing when the caller may copy the document as a whole, else the refusal. */
  "document.mayCopy": verb({
    needs: "viewers",
    underRules: "copies",
    run: (_document, _grant, _args: null): null => null,
  }),
};
