import type { Way } from "./guesses.ts";
import { REMOVING, WRITING } from "./ways.ts";

/** Writes in a dry run: all of them in the complete checks. */
export const DRY_RUNS: readonly Way[] = [
  ...REMOVING,
  ...WRITING.filter((_, at) => at % (process.env["QUERN_TEST_ALL"] ? 1 : 5) === 0),
].flatMap(([method, path, body, lines]): Way[] => {
  // These become jobs.
  if (path.includes("onError=")) return [];
  const target = `${path}${path.includes("?") ? "&" : "?"}dryrun=1`;
  return [lines ? [method, target, body, lines] : [method, target, body]];
});
