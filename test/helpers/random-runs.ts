/**
 * Returns the number of random sequences of a test: `QUERN_TEST_SEQUENCES` if it is set, else `quick` for the checks of
 * a change and `complete` for all checks (`QUERN_TEST_ALL`).
 */
export const randomRuns = (quick: number, complete: number): number =>
  Number(process.env["QUERN_TEST_SEQUENCES"] ?? (process.env["QUERN_TEST_ALL"] ? complete : quick));
