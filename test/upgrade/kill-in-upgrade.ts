/** Kills its own process at a step of the upgrade of a data folder's home database: `FOLDER STEP`. */
import { openHome } from "../../src/home/home.ts";
import { MIGRATIONS } from "../../src/home/migrations/index.ts";
import { Database } from "../../src/sqlite/database.ts";

const [folder = "", step = ""] = Bun.argv.slice(2);
const kill = () => process.kill(process.pid, "SIGKILL");

if (step === "migrating") {
  using db = new Database(`${folder}/home.sqlite`, { journal: "wal" });
  // A cache of one page: the uncommitted changes are in the log when the process ends.
  db.exec("pragma cache_size = 1");
  db.transaction(() => {
    for (const { version, sql } of MIGRATIONS) if (version > 2) db.exec(sql);
    db.exec("create table filler (x); insert into filler values (zeroblob(1000000)); pragma user_version = 3");
    kill();
  });
} else {
  openHome(folder, {
    onUpgrade(reached) {
      if (reached === step) kill();
    },
  });
}
