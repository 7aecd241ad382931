/** Read before all tests. A machine that is busy with other things must not fail what is right. */
import { setDefaultTimeout } from "bun:test";

setDefaultTimeout(30_000);
