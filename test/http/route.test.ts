import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { anonymous } from "../../src/authorization.ts";
import type { Call } from "../../src/http/call.ts";
import { type AccessCheck, route } from "../../src/http/route.ts";

/** A route that answers with its parameters; `validated` are the texts that its schemas have seen. */
function echoRoute() {
  const validated: string[] = [];
  const text = z
    .string()
    .max(5)
    .transform((value) => {
      validated.push(value);
      return value.toUpperCase();
    });
  const refused = new Set<string>();
  const access: AccessCheck<null> = {
    about: "",
    statuses: [],
    check(call) {
      if (refused.has(call.path)) throw new Error("access was refused");
      return null;
    },
  };
  const { run } = route(
    {
      method: "get",
      path: "/api/things/{name}",
      id: "getThing",
      tag: "",
      summary: "",
      access,
      params: z.object({ name: text }),
      query: z.object({ a: text.optional() }),
      response: null,
    },
    ({ params, query }) => {
      expect([Object.isFrozen(params), Object.isFrozen(query)]).toEqual([true, true]);
      return Response.json([params.name, query.a]);
    },
  );
  const ask = async (name: string, search = "") => {
    const path = `/api/things/${name}`;
    const call = {
      actor: anonymous,
      path,
      search,
      request: new Request("http://localhost/"),
      accounting: {},
    } as unknown as Call;
    return (await run(call, { name })).json();
  };
  return { ask, validated, refused };
}

describe("the parameters of a route", () => {
  test("are validated once for each path and query", async () => {
    const { ask, validated } = echoRoute();
    for (let i = 0; i < 3; i++) expect(await ask("x", "a=y")).toEqual(["X", "Y"]);
    expect(validated).toEqual(["x", "y"]);
    expect(await ask("x", "a=z")).toEqual(["X", "Z"]);
    expect(await ask("w", "a=z")).toEqual(["W", "Z"]);
    expect(await ask("w")).toEqual(["W", null]);
    expect(validated).toEqual(["x", "y", "z", "w"]);
  });

  test("are refused whenever they are invalid", async () => {
    const { ask } = echoRoute();
    for (let i = 0; i < 2; i++) {
      expect(await ask("toolong").catch(String)).toContain("Invalid payload");
      expect(await ask("x", "a=toolong").catch(String)).toContain("Invalid payload");
    }
  });

  test("do not replace the check of access, which every request passes", async () => {
    const { ask, refused } = echoRoute();
    expect(await ask("x")).toEqual(["X", null]);
    refused.add("/api/things/x");
    expect(await ask("x").catch(String)).toContain("access was refused");
  });
});
