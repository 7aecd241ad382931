import { expect, test } from "bun:test";
import { domainProblem } from "../../../src/services/sites/domains.ts";

test.each(["team", "abc", "a1-b2", "2fast", "x".repeat(63), "documents", "docs2", "o2x", "v10-x"])(
  "%s can be",
  (domain) => {
    expect(domainProblem(domain)).toBeNull();
  },
);

const bad = [
  "",
  "ab",
  "-ab",
  "Team",
  "te am",
  "te.am",
  "te_am",
  "tëam",
  "x".repeat(64),
  "docs-1",
  "o-1",
  "doc-worker-a",
];
test.each([...bad, "v1-a", "www", "api", "docs", "admin", "support", "login", "test", "mail", "team\n"])(
  "%j cannot be",
  (domain) => {
    expect(domainProblem(domain)).not.toBeNull();
  },
);
