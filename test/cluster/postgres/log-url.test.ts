import { describe, expect, test } from "bun:test";
import { parseLogUrl } from "../../../src/cluster/postgres/log-url.ts";

describe("the URL of the log", () => {
  test("has the defaults of PostgreSQL's clients", () => {
    expect(parseLogUrl("postgres://quern:secret@db.example.com/log")).toEqual({
      hosts: [{ host: "db.example.com", port: 5432 }],
      user: "quern",
      password: "secret",
      database: "log",
      sslMode: "prefer",
      sslRootCert: null,
      sslCert: null,
      sslKey: null,
      sslNegotiation: "postgres",
      isChannelBindingRequired: false,
      connectTimeoutMs: 5000,
      applicationName: "quern",
      options: null,
      label: "db.example.com:5432/log",
    });
  });

  test.each([
    ["postgresql://u@h:6000", { database: "u", password: "", hosts: [{ host: "h", port: 6000 }] }],
    ["postgres://u:p%40%2F%3A@h/d", { password: "p@/:" }],
    ["postgres://u:a:b@h/d", { password: "a:b" }],
    [
      "postgres://u@a:1,b,[::1]:3/d",
      {
        hosts: [
          { host: "a", port: 1 },
          { host: "b", port: 5432 },
          { host: "::1", port: 3 },
        ],
      },
    ],
    [
      "postgres://u@/d?host=/run/postgresql",
      { hosts: [{ host: "/run/postgresql", port: 5432 }], sslMode: "disable", label: "/run/postgresql/d" },
    ],
    ["postgres://u@%2Frun%2Fpg/d?port=7", { hosts: [{ host: "/run/pg", port: 7 }] }],
    ["postgres:///d?host=h&user=u&password=p&dbname=e", { user: "u", password: "p", database: "e" }],
    ["postgres://u@h/d?sslmode=verify-full&sslrootcert=/ca.pem", { sslMode: "verify-full", sslRootCert: "/ca.pem" }],
    ["postgres://u@h/d?sslmode=verify-full&sslrootcert=system", { sslRootCert: null }],
    ["postgres://u@h/d?sslmode=allow&sslcert=/c&sslkey=/k", { sslMode: "prefer", sslCert: "/c", sslKey: "/k" }],
    [
      "postgres://u@h/d?channel_binding=require&sslnegotiation=direct",
      { isChannelBindingRequired: true, sslNegotiation: "direct" },
    ],
    [
      "postgres://u@h/d?connect_timeout=7&application_name=a&options=-c%20x%3Dy",
      { connectTimeoutMs: 7000, applicationName: "a", options: "-c x=y" },
    ],
    ["postgres://u@h/d?target_session_attrs=read-write&gssencmode=disable", { database: "d" }],
  ])("accepts %s", (text, expected) => {
    expect(parseLogUrl(text)).toMatchObject(expected);
  });

  test.each([
    ["mysql://u:secret@h/d", "must have the form postgres://user:password@host:port/database"],
    ["h/d", "must have the form"],
    ["postgres://h/d", "names no user"],
    ["postgres://u:secret@/d", "names no host"],
    ["postgres://u:secret@h:x/d", "the host is malformed"],
    ["postgres://u:secret@h:70000/d", "port must be a positive number"],
    ["postgres://u:se%cret@h/d", "write %25"],
    ["postgres://u:secret@h/d?sslmode=always", "sslmode must be one of"],
    ["postgres://u:secret@h/d?connect_timeout=0", "connect_timeout must be a positive number"],
    ["postgres://u:secret@h/d?target_session_attrs=standby", "target_session_attrs must be one of"],
    ["postgres://u:secret@h/d?pgbouncer=true", 'the parameter "pgbouncer" is not supported'],
  ])("refuses %s without showing the password", (text, problem) => {
    let message = "";
    try {
      parseLogUrl(text);
    } catch (error) {
      expect(error).toMatchObject({ reason: "log.url", code: "invalid" });
      message = (error as Error).message;
    }
    expect(message).toContain(problem);
    expect(message).not.toContain("secret");
  });
});
