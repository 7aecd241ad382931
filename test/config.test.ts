import { describe, expect, test } from "bun:test";
import { effectiveSettings, readConfig, settingList, unknownSettingVariables, type SETTINGS } from "../src/config.ts";
import { FORMULA_LIMITS, type FormulaLimits } from "../src/formula/runtime/budget.ts";

describe("settings", () => {
  test("uses the defaults without flags and variables", () => {
    const config = readConfig({}, {});
    expect(config.port).toBe(8080);
    expect(config.host).toBe("127.0.0.1");
    expect(config.maxBody).toBe(16 * 1024 * 1024);
    expect(config.baseDomain).toBeNull();
    expect(config.trustedProxies).toEqual([]);
    expect<FormulaLimits>({
      cell: { steps: config.formulaSteps, bytes: config.formulaMemory, timeMs: config.formulaCellTimeMs },
      change: {
        steps: config.formulaChangeSteps,
        bytes: config.formulaChangeMemory,
        timeMs: config.formulaTimeMs,
      },
      jobTimeMs: config.jobTimeS * 1000,
    }).toEqual(FORMULA_LIMITS);
  });

  test("a cluster and the log of one server exclude each other", () => {
    const log = "postgres://quern@db/log";
    expect(() => readConfig({ cluster: log }, { QUERN_LOG_TO: log })).toThrow("--cluster (QUERN_CLUSTER) excludes");
    expect(readConfig({ cluster: log }, { QUERN_LOG_TO: "" }).cluster).toBe(log);
  });

  test("a flag takes precedence over a variable, a variable over the default; an empty variable is ignored", () => {
    expect(readConfig({ port: "1" }, { QUERN_PORT: "2" }).port).toBe(1);
    expect(readConfig({}, { QUERN_PORT: "2" }).port).toBe(2);
    expect(readConfig({}, { QUERN_PORT: "" }).port).toBe(8080);
  });

  const good: [flag: string, text: string, name: keyof typeof SETTINGS, value: unknown][] = [
    ["max-body", "2MB", "maxBody", 2 * 1024 * 1024],
    ["max-body", "500 kb", "maxBody", 512_000],
    ["max-upload", "3GB", "maxUpload", 3 * 1024 ** 3],
    ["max-body", "77", "maxBody", 77],
    ["doc-ids", "uuid", "docIds", "uuid"],
    ["doc-ids", "short", "docIds", "short"],
    ["base-domain", "Example.ORG", "baseDomain", "example.org"],
    ["public-url", "https://docs.example.org/", "publicUrl", "https://docs.example.org"],
    [
      "cors-origins",
      "https://a.example, http://b.example:3000",
      "corsOrigins",
      ["https://a.example", "http://b.example:3000"],
    ],
    ["forward-auth-header", "X-Email", "forwardAuthHeader", "x-email"],
    ["max-parallel", "0", "maxParallel", 0],
    ["cluster", "postgres://quern@db/log", "cluster", "postgres://quern@db/log"],
    ["cluster-address", "http://10.0.0.2:8080", "clusterAddress", "http://10.0.0.2:8080"],
    ["cluster-strict", "1", "clusterStrict", "1"],
    ["drain-ms", "0", "drainMs", 0],
  ];
  test.each(good)("--%s %s", (flag, text, name, value) => {
    expect(readConfig({ [flag]: text }, {})[name]).toEqual(value as never);
  });

  const wrong: [flag: string, text: string][] = [
    ["port", "many"],
    ["cluster", "http://db/log"],
    ["cluster-address", "10.0.0.2"],
    ["cluster-strict", "yes"],
    ["drain-ms", "-1"],
    ["port", "65536"],
    ["port", "-1"],
    ["data", " "],
    ["max-body", "0"],
    ["max-body", "big"],
    ["doc-ids", "text"],
    ["base-domain", "a b"],
    ["public-url", "ftp://x"],
    ["cors-origins", "example.org"],
    ["durability", "none"],
    ["forward-auth-header", "a b"],
    ["trusted-proxies", "localhost"],
    ["log-level", "loud"],
    ["sql-workers", "0"],
    ["sql-timeout-ms", "0"],
  ];
  test.each(wrong)("rejects --%s %s and names the flag", (flag, text) => {
    expect(() => readConfig({ [flag]: text }, {})).toThrow(new RegExp(`^--${flag} must`));
    const { env } = settingList().find((setting) => setting.flag === flag) ?? { env: "" };
    expect(() => readConfig({}, { [env]: text })).toThrow(new RegExp(`^${env} must`));
  });

  test("lists unknown variables that look like settings", () => {
    expect(unknownSettingVariables({ QUERN_PORT: "1", QUERN_PROT: "2", OTHER: "3" })).toEqual(["QUERN_PROT"]);
  });

  test("every setting has a flag, a variable and a default of its own", () => {
    const all = settingList();
    expect(new Set(all.map(({ flag }) => flag)).size).toBe(all.length);
    expect(new Set(all.map(({ env }) => env)).size).toBe(all.length);
    for (const { flag, env, about, fallback } of all) {
      expect(env).toBe(`QUERN_${flag.toUpperCase().replaceAll("-", "_")}`);
      expect(about.endsWith(".")).toBe(true);
      expect(fallback).not.toBe("");
    }
  });
});

describe("providers of single sign-on", () => {
  const KEYCLOAK = {
    QUERN_OIDC_KEYCLOAK_ISSUER: "https://sso.example.com/realms/a",
    QUERN_OIDC_KEYCLOAK_CLIENT_ID: "q",
  };
  const others = (suffix: string, value: string) => ({ ...KEYCLOAK, [`QUERN_OIDC_KEYCLOAK_${suffix}`]: value });

  test("have careful defaults, and names with hyphens", () => {
    const env = { ...KEYCLOAK, QUERN_OIDC_MY_IDP_ISSUER: "https://b/", QUERN_OIDC_MY_IDP_CLIENT_ID: "q" };
    const [keycloak, other] = readConfig({}, env).oidcProviders;
    expect(keycloak).toEqual({
      name: "keycloak",
      issuer: "https://sso.example.com/realms/a",
      clientId: "q",
      clientSecret: null,
      scopes: ["openid", "profile", "email"],
      allowedDomains: [],
      button: null,
      trustEmail: false,
      createUsers: false,
      groupsClaim: null,
    });
    expect([other?.name, other?.issuer]).toEqual(["my-idp", "https://b/"]);
    expect(readConfig({}, {}).oidcProviders).toEqual([]);
  });

  test.each([
    ["a missing issuer", { QUERN_OIDC_A_CLIENT_ID: "q" }, "QUERN_OIDC_A_ISSUER is required"],
    ["a missing client id", { QUERN_OIDC_A_ISSUER: "https://a" }, "QUERN_OIDC_A_CLIENT_ID is required"],
    ["a secret alone", { QUERN_OIDC_A_CLIENT_SECRET: "s3cret" }, "QUERN_OIDC_A_ISSUER is required"],
    ["an issuer without TLS", others("ISSUER", "http://sso.example.com"), "ISSUER must be an https URL"],
    [
      "a host that only begins with localhost",
      others("ISSUER", "http://localhost.evil.example"),
      "must be an https URL",
    ],
    ["a discovery document", others("ISSUER", "https://a/.well-known/openid-configuration"), "without /.well-known/"],
    ["an issuer for all tenants", others("ISSUER", "https://login.microsoftonline.com/common/v2.0"), "one tenant"],
    ["an issuer with a query", others("ISSUER", "https://a/?b"), "without query"],
    ["scopes without openid", others("SCOPES", "profile"), "SCOPES must contain openid"],
    ["a domain with a space", others("ALLOWED_DOMAINS", "a b"), "ALLOWED_DOMAINS must be a domain name"],
    ["a switch that is neither true nor false", others("TRUST_EMAIL", "yes"), "TRUST_EMAIL must be one of true, false"],
    [
      "new users of no domain",
      others("CREATE_USERS", "true"),
      "CREATE_USERS requires QUERN_OIDC_KEYCLOAK_ALLOWED_DOMAINS",
    ],
    ["a long button", others("BUTTON", "x".repeat(61)), "BUTTON must have"],
    [
      "one issuer twice",
      { ...KEYCLOAK, QUERN_OIDC_B_ISSUER: KEYCLOAK.QUERN_OIDC_KEYCLOAK_ISSUER, QUERN_OIDC_B_CLIENT_ID: "q" },
      "the providers b and keycloak have the same issuer",
    ],
  ])("with %s do not start", (_, env, message) => {
    expect(() => readConfig({}, env)).toThrow(message);
  });

  test("are known variables, and misspelt ones are not", () => {
    const env = { ...KEYCLOAK, QUERN_OIDC_KEYCLOAK_BUTON: "a", QUERN_OIDC_ISSUER: "b" };
    expect(unknownSettingVariables(env)).toEqual(["QUERN_OIDC_KEYCLOAK_BUTON", "QUERN_OIDC_ISSUER"]);
  });

  test("show administrators everything but secrets", () => {
    const shown = effectiveSettings(readConfig({}, others("CLIENT_SECRET", "s3cret")));
    expect(JSON.stringify(shown)).not.toContain("s3cret");
    expect(shown.filter(({ env }) => env.startsWith("QUERN_OIDC_")).map(({ env, value }) => [env, value])).toEqual([
      ["QUERN_OIDC_KEYCLOAK_CLIENT_ID", "q"],
      ["QUERN_OIDC_KEYCLOAK_CLIENT_SECRET", null],
      ["QUERN_OIDC_KEYCLOAK_ISSUER", "https://sso.example.com/realms/a"],
    ]);
  });
});
