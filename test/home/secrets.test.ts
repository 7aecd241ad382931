import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { prepareRestoredHome } from "../../src/home/home-copy.ts";
import { HOME_FILE } from "../../src/home/home-upgrade.ts";
import { openHome } from "../../src/home/home.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

describe("secrets of the installation", () => {
  test("are created once, and are missing before", () => {
    using home = openHome(tempFolder());
    expect(home.secrets.find("hop")).toBeNull();
    home.secrets.create("hop");
    const secret = home.secrets.find("hop");
    expect(secret).toHaveLength(32);
    home.secrets.create("hop");
    expect(home.secrets.find("hop")).toEqual(secret);
  });

  test("of the former cluster are not in a restored home database: the two would accept each other's requests", () => {
    const folder = tempFolder();
    {
      using home = openHome(folder);
      home.secrets.create("hop");
    }
    prepareRestoredHome(join(folder, HOME_FILE), { nowMs: 0, withWebhooks: true, source: {} });
    using home = openHome(folder);
    expect(home.secrets.find("hop")).toBeNull();
  });
});
