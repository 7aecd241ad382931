import { describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { randomRuns } from "../../helpers/random-runs.ts";
import { CHROMIUM, inBrowser, type Site } from "../browser.ts";
import { setScene } from "../scene.ts";
import { makeWalkSample, ROLES } from "./sample.ts";
import { openWalkWindow } from "./walk-window.ts";
import { walk } from "./walker.ts";

/**
 * A walk per role by default. `QUERN_TEST_SEED=7 QUERN_TEST_SEQUENCES=50 bun test test/web/walk` takes others; a failure
 * names the seed that repeats it.
 */
const seed = Number(process.env["QUERN_TEST_SEED"] ?? 1);
const STEPS = Number(process.env["QUERN_TEST_STEPS"] ?? 100);
const RUNS = randomRuns(3, 3);

/** Longer than a loaded machine takes. */
const TIMEOUT_MS = 600_000;

describe.skipIf(!CHROMIUM)(inBrowser("a random walk through the pages"), () => {
  let browser: Browser;
  let site: Site;
  setScene((scene) => {
    ({ browser, site } = scene);
    return Promise.resolve();
  });

  const walks = Array.from({ length: RUNS }, (_, run) => {
    const own = seed + run;
    const role = ROLES[own % ROLES.length] ?? "viewers";
    return { own, role };
  });

  test.each(walks)(
    "with role $role shows no error and keeps the focus (QUERN_TEST_SEED=$own QUERN_TEST_SEQUENCES=1)",
    async ({ own, role }) => {
      const sample = await makeWalkSample(site.app, site.address, role, own);
      await using window = await openWalkWindow(browser, site, sample.email);
      const found = await walk({ sample, window, seed: own, steps: STEPS });
      expect(found, `QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1 QUERN_TEST_STEPS=${STEPS}`).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
