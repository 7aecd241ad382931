import { describe, expect, test } from "bun:test";
import { createPathTree, resolveTarget } from "../../src/http/paths.ts";

const tree = createPathTree([
  "/api/orgs",
  "/api/orgs/{org}",
  "/api/orgs/{org}/workspaces",
  "/api/profile/apikey",
  "/api/docs/{docId}/tables/{tableId}/records/list",
]);

describe("canonicalises paths to the form of the templates", () => {
  const cases: [given: string, canonical: string][] = [
    ["/API/Orgs", "/api/orgs"],
    ["/api/orgs/", "/api/orgs"],
    ["/api/orgs/Current/WORKSPACES", "/api/orgs/Current/workspaces"],
    ["/api/profile/apiKey", "/api/profile/apikey"],
    ["/api/docs/AbC/Tables/TABLES/Records/List/", "/api/docs/AbC/tables/TABLES/records/list"],
    ["/api//orgs", "/api//orgs"],
    ["/api/nothing/HERE", "/api/nothing/HERE"],
    ["/", "/"],
  ];
  test.each(cases)("%s → %s", (given, canonical) => {
    expect(tree.canonical(given)).toBe(canonical);
  });
});

describe("resolves the site of a request", () => {
  const plain = { baseDomain: null, singleOrg: null };
  const based = { baseDomain: "example.org", singleOrg: null };
  const personal = { kind: "personal" } as const;
  const team = (domain: string) => ({ kind: "team", domain }) as const;
  const cases: [path: string, host: string | null, settings: typeof plain | object, scope: object, rest: string][] = [
    ["/api/orgs", "x", plain, personal, "/api/orgs"],
    ["/o/team/api/orgs", "x", plain, team("team"), "/api/orgs"],
    ["/o/TEAM/api/orgs", "x", plain, team("team"), "/api/orgs"],
    ["/O/team", "x", plain, team("team"), "/"],
    ["/o/docs/api/orgs", "x", based, personal, "/api/orgs"],
    ["/api/orgs", "team.example.org:8080", based, team("team"), "/api/orgs"],
    ["/api/orgs", "Team.Example.org", based, team("team"), "/api/orgs"],
    ["/api/orgs", "example.org", based, personal, "/api/orgs"],
    ["/api/orgs", "www.example.org", based, personal, "/api/orgs"],
    ["/api/orgs", "notexample.org", based, personal, "/api/orgs"],
    ["/o/other/api", "team.example.org", based, team("other"), "/api"],
    ["/api/orgs", "x", { baseDomain: null, singleOrg: "only" }, team("only"), "/api/orgs"],
    ["/o/docs/api/orgs", "x", { baseDomain: null, singleOrg: "only" }, personal, "/api/orgs"],
    ["/dw/self/api/orgs", "x", plain, personal, "/api/orgs"],
    ["/dw/self/v/unknown/o/team/api/orgs", "x", plain, team("team"), "/api/orgs"],
    ["/DW/w1/o/team/API/orgs", "team2.example.org", based, team("team"), "/API/orgs"],
    ["/dw/self/profile", "x", plain, personal, "/dw/self/profile"],
    ["/dw/a/dw/b/api/orgs", "x", plain, personal, "/dw/a/dw/b/api/orgs"],
    ["/dw//api/orgs", "x", plain, personal, "/dw//api/orgs"],
    ["/dw/api/orgs", "x", plain, personal, "/dw/api/orgs"],
  ];
  test.each(cases)("%s at %s", (path, host, settings, scope, rest) => {
    expect(resolveTarget(path, host, settings as typeof plain)).toEqual({ scope, path: rest } as never);
  });
});
