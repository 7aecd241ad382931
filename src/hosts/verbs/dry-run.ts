import { runDry } from "../../doc/dry-run/run-dry.ts";
import { jsonResult } from "./apply-actions.ts";
import { checkVerbAccess } from "./check-access.ts";
import { type Verb, verb } from "./verb.ts";

interface DryRunArgs {
  readonly verb: string;
  /** The arguments of the verb. */
  readonly args: unknown;
}

/** Returns the verb that reports what one of some verbs that write would do, and changes nothing. */
export const dryRunVerbs = (writes: Readonly<Record<string, Verb<never, unknown>>>) => ({
  "changes.preview": verb({
    // The access that the write needs is checked below.
    needs: "viewers",
    underRules: "enforced",
    run(document, grant, { verb: name, args }: DryRunArgs) {
      const write = Object.hasOwn(writes, name) ? writes[name] : undefined;
      if (!write) throw new Error(`${name} has no dry run`);
      checkVerbAccess(document, grant, write);
      return jsonResult(runDry(document, grant, () => write.run(document, grant, args as never)));
    },
  }),
});
