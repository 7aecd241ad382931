import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ScimServer, scimServer, URN } from "./scim-server.ts";

let scim: ScimServer;
beforeAll(async () => {
  scim = await scimServer({ "scim-email": "Emil@example.com" });
});
afterAll(() => scim[Symbol.asyncDispose]());

describe("refusals", () => {
  const cases: [what: string, body: unknown, status: number, scimType?: string][] = [
    ["no userName", {}, 400, "invalidValue"],
    ["no userName beside an address", { emails: [{ value: "a@b.example" }] }, 400, "invalidValue"],
    ["an empty userName", { userName: "" }, 400, "invalidValue"],
    ["no address", { userName: "somebody" }, 400, "invalidValue"],
    ["a value of the wrong type", { userName: "a@b.example", displayName: 5 }, 400, "invalidValue"],
    ["a wrong type within", { userName: "a@b.example", name: { formatted: 5 } }, 400, "invalidValue"],
    ["no list", { userName: "a@b.example", emails: { value: "a@b.example" } }, 400, "invalidValue"],
    ["no boolean", { userName: "a@b.example", active: "maybe" }, 400, "invalidValue"],
    ["a long name", { userName: "a@b.example", displayName: "x".repeat(1001) }, 400, "invalidValue"],
    ["another schema", { schemas: [URN.group], userName: "a@b.example" }, 400, "invalidSyntax"],
    ["a list", [{ userName: "a@b.example" }], 400, "invalidSyntax"],
    ["an address in use", { userName: "OLGA@example.com" }, 409, "uniqueness"],
  ];
  test.each(cases)("POST with %s", async (_, body, status, scimType) => {
    const before = scim.server.app.ctx.home.users.list().length;
    const reply = await scim.call("owner", "POST", "/Users", body);
    expect([reply.status, reply.body.status, reply.body.scimType]).toEqual([status, String(status), scimType]);
    expect(scim.server.app.ctx.home.users.list().length).toBe(before);
  });

  const patches: [what: string, body: unknown, status: number, scimType?: string][] = [
    ["no schemas", { Operations: [{ op: "remove", path: "photos" }] }, 400, "invalidSyntax"],
    ["no operations", { schemas: [URN.patch], Operations: [] }, 400, "invalidValue"],
    ["an unknown op", { schemas: [URN.patch], Operations: [{ op: "swap", path: "locale" }] }, 400, "invalidSyntax"],
    ["an unknown path", { schemas: [URN.patch], Operations: [{ op: "add", path: "x", value: 1 }] }, 400, "invalidPath"],
    [
      "a broken filter",
      { schemas: [URN.patch], Operations: [{ op: "remove", path: "emails[value]" }] },
      400,
      "invalidFilter",
    ],
    ["an id", { schemas: [URN.patch], Operations: [{ op: "replace", path: "id", value: "7" }] }, 400, "mutability"],
    ["groups", { schemas: [URN.patch], Operations: [{ op: "add", path: "groups", value: [] }] }, 400, "mutability"],
    ["no userName", { schemas: [URN.patch], Operations: [{ op: "remove", path: "userName" }] }, 400, "invalidValue"],
    [
      "a taken address",
      { schemas: [URN.patch], Operations: [{ op: "replace", path: "userName", value: "olga@example.com" }] },
      409,
      "uniqueness",
    ],
    ["remove without path", { schemas: [URN.patch], Operations: [{ op: "remove" }] }, 400, "noTarget"],
    ["a text without path", { schemas: [URN.patch], Operations: [{ op: "add", value: "x" }] }, 400, "invalidValue"],
  ];
  test.each(patches)("PATCH with %s", async (_, body, status, scimType) => {
    const path = `/Users/${scim.idOf("stranger")}`;
    const before = await scim.must("GET", path);
    const reply = await scim.call("owner", "PATCH", path, body);
    expect([reply.status, reply.body.scimType]).toEqual([status, scimType]);
    expect(await scim.must("GET", path)).toEqual(before);
  });

  test.each([
    ["GET", "/Users/98765", 404],
    ["PUT", "/Users/98765", 404],
    ["DELETE", "/Users/98765", 404],
    ["GET", "/Users/x", 400],
    ["PUT", "/Users/1", 403],
    ["PATCH", "/Users/2", 403],
    ["DELETE", "/Users/1", 403],
    ["PUT", "/Users", 404],
    ["GET", "/Users/1/x", 404],
    ["POST", "/Me", 501],
  ])("%s %s is %d", async (method, path, status) => {
    const bodies: Record<string, object> = {
      PUT: { userName: "zed@example.com" },
      PATCH: { schemas: [URN.patch], Operations: [{ op: "replace", path: "displayName", value: "x" }] },
    };
    const body = bodies[method];
    expect((await scim.call("owner", method, path, body)).status).toBe(status);
  });
});

describe("clients", () => {
  test("one with an identifier sees and filters by it, and sees whether users are active", async () => {
    const id = await scim.addUser("okta@example.com", { externalId: "00u1", active: true });
    expect(await scim.must("GET", `/Users/${id}`)).toMatchObject({ externalId: "00u1", active: true });
    const found = await scim.must("GET", `/Users?filter=${encodeURIComponent('externalId eq "00u1"')}`);
    expect(found.Resources.map((user) => user.id)).toEqual([id]);
    const inactive = await scim.must("GET", `/Users?filter=${encodeURIComponent("active eq false")}`);
    expect(inactive.totalResults).toBe(0);
  });

  test("others see only that users are disabled", async () => {
    const id = await scim.addUser("plain@example.com");
    expect(await scim.must("GET", `/Users/${id}`)).not.toHaveProperty("active");
    expect((await scim.must("GET", `/Users/${id}?attributes=active`)).active).toBe(true);
    expect((await scim.patch(`/Users/${id}`, { op: "replace", value: { active: false } })).body.active).toBe(false);
  });

  test("texts for booleans, unknown enterprise attributes and elements that do not exist yet are accepted", async () => {
    const id = await scim.addUser("entra@example.com", {
      schemas: [URN.user, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
      externalId: "e1",
    });
    const reply = await scim.patch(
      `/Users/${id}`,
      { op: "Replace", path: "active", value: "False" },
      { op: "Add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", value: "x" },
      { op: "Add", path: 'emails[type eq "work"].value', value: "entra@example.com" },
      { op: "Replace", path: "userName", value: "entra2@example.com" },
    );
    expect(reply.body).toMatchObject({ active: false, userName: "entra2@example.com", externalId: "e1" });
    expect(reply.body.emails).toEqual([{ value: "entra2@example.com", primary: true }]);
  });
});

test("an inactive user is refused at once, and active again with the same key", async () => {
  const path = `/Users/${scim.idOf("viewer")}`;
  const profile = async () => (await scim.server.call("viewer", "GET", "/api/profile/user")).status;
  expect(await profile()).toBe(200);
  expect((await scim.patch(path, { op: "replace", path: "active", value: false })).status).toBe(200);
  expect(await profile()).toBe(403);
  expect((await scim.patch(path, { op: "replace", path: "active", value: false })).status).toBe(204);
  // Without `active`, PUT leaves it as it is.
  await scim.must("PUT", path, { userName: "vito@example.com", displayName: "Vito Viewer" });
  expect(await profile()).toBe(403);
  expect((await scim.patch(path, { op: "replace", path: "active", value: true })).status).toBe(200);
  expect(await profile()).toBe(200);
});

test("the last administrator and the caller stay able to sign in", async () => {
  const own = `/Users/${scim.idOf("owner")}`;
  const disable = { schemas: [URN.patch], Operations: [{ op: "replace", path: "active", value: false }] };
  expect((await scim.call("owner", "PATCH", own, disable)).status).toBe(400);
  expect((await scim.call("editor", "PATCH", own, disable)).status).toBe(400);
  expect((await scim.call("editor", "DELETE", own)).status).toBe(400);
  expect((await scim.call("owner", "GET", "/Me")).status).toBe(200);
});

describe("the right", () => {
  const ADMINISTRATORS = [
    "/Users",
    "/Groups",
    "/Roles",
    "/Users/1",
    "/Users/98765",
    "/Schemas/x",
    "/ResourceTypes/User",
  ];
  test.each(ADMINISTRATORS)("GET %s: administrators and the user of the settings", async (path) => {
    const statuses = await Promise.all(
      (["stranger", "viewer", "anon"] as const).map(async (as) => (await scim.call(as, "GET", path)).status),
    );
    expect(statuses).toEqual([403, 403, 401]);
    expect([200, 404]).toContain((await scim.call("editor", "GET", path)).status);
  });

  test.each(["/Me", "/Schemas", "/ResourceTypes", "/ServiceProviderConfig"])(
    "GET %s: all signed-in users",
    async (path) => {
      expect((await scim.call("stranger", "GET", path)).status).toBe(200);
      expect((await scim.call("stranger", "GET", path.toLowerCase())).status).toBe(403);
      expect((await scim.call("owner", "GET", `${path.toLowerCase()}/`)).status).toBe(200);
      expect((await scim.call("anon", "GET", path)).status).toBe(401);
    },
  );

  test("answers to others do not depend on what exists", async () => {
    const answers = await Promise.all(
      ["/Users/1", "/Users/98765", "/Groups/16", "/Roles/17", "/Roles/98765", "/Users/x"].flatMap((path) =>
        ["GET", "PUT", "PATCH", "DELETE"].map(async (method) => {
          const { status, body } = await scim.call("stranger", method, path, method === "GET" ? undefined : {});
          return JSON.stringify({ status, body });
        }),
      ),
    );
    // DELETE of roles does not exist, and is refused like all other requests.
    expect(new Set(answers).size).toBe(1);
  });

  test("malformed searches and unknown paths are refused before it", async () => {
    const search = { schemas: [URN.search], count: "x" };
    expect((await scim.call("stranger", "POST", "/Users/.search", search)).status).toBe(400);
    expect((await scim.call("stranger", "POST", "/Users/.search", { schemas: [URN.search] })).status).toBe(403);
    expect((await scim.call("stranger", "POST", "/Bulk", { schemas: [URN.bulk], Operations: [] })).status).toBe(400);
    expect((await scim.call("stranger", "GET", "/Doors")).status).toBe(404);
    expect((await scim.call("anon", "GET", "/Doors")).status).toBe(401);
  });

  test("is not given while SCIM is off", async () => {
    await using off = await scimServer({ scim: "off" });
    for (const [as, path] of [
      ["owner", "/Users"],
      ["anon", "/Me"],
      ["owner", "/Doors"],
      ["stranger", ""],
    ] as const) {
      const { status, body } = await off.call(as, "GET", path);
      expect([status, body.error]).toEqual([501, "SCIM API is not enabled"]);
    }
  });
});

describe("lists", () => {
  const filtered = async (filter: string, more = "") =>
    scim.call("owner", "GET", `/Users?filter=${encodeURIComponent(filter)}${more}`);

  test.each([
    "not (userName pr)",
    "userName",
    "userName eq",
    'userName xx "a"',
    "(userName pr",
    "userName pr)",
    "",
    'emails eq "x"',
    'userName eq "a',
    "userName eq a",
    `${"(".repeat(100)}userName pr${")".repeat(100)}`,
    '"a" eq userName',
    `userName eq "${"\\\\".repeat(200)}`,
  ])("%j is no filter", async (filter) => {
    const { status, body } = await filtered(filter);
    expect([status, body.scimType]).toEqual([400, "invalidFilter"]);
  });

  test.each([
    ['userName eq "olga@example.com"', 1],
    ['USERNAME EQ "olga@example.com"', 1],
    ['userName eq "OLGA@example.com"', 0],
    ['userName sw "OLGA@"', 1],
    ['userName sw "OLGA@" and userName pr', 0],
    ['emails.value eq "Emil@example.com"', 1],
    ['emails[value eq "Emil@example.com" and primary eq true]', 1],
    [`${URN.user}:userName eq "olga@example.com"`, 1],
    ['displayName eq "Olga Owner" or displayName eq "Stan Stranger"', 2],
    ["shoeSize eq 41", 0],
    ['userName eq "o\\u006cga@example.com"', 1],
    ['userName co "%"', 0],
  ] as const)("%s finds %d", async (filter, count) => {
    const { status, body } = await filtered(filter);
    expect([status, body.totalResults, body.Resources?.length]).toEqual([200, count, count]);
  });

  test.each([
    ["&count=2", [2, 1, 2]],
    ["&count=0", [0, 1, 0]],
    ["&count=-1", [0, 1, 0]],
    ["&count=x", [20, 1, 4]],
    ["&startIndex=4", [20, 4, 1]],
    ["&startIndex=9", [20, 9, 0]],
    ["&startIndex=-3", [20, 1, 4]],
  ] as const)("%s", async (more, expected) => {
    const filter = ["Olga Owner", "Emil Editor", "Vito Viewer", "Stan Stranger"].map(
      (name) => `displayName eq "${name}"`,
    );
    const { body } = await filtered(filter.join(" or "), more);
    expect([body.itemsPerPage, body.startIndex, body.Resources.length]).toEqual([...expected]);
    expect(body.totalResults).toBe(4);
  });

  test("are sorted without regard to case, and limited to the selected attributes", async () => {
    const names = async (query: string) =>
      (
        await scim.must(
          "GET",
          `/Users?filter=${encodeURIComponent('userName ew "@example.com"')}&attributes=displayName${query}`,
        )
      ).Resources;
    const ascending = await names("&sortBy=displayName");
    expect(ascending.every((user) => Object.keys(user).join() === "id,displayName")).toBe(true);
    const shown = ascending.map((user) => user.displayName.toLowerCase());
    expect(shown).toEqual(shown.toSorted());
    expect((await names("&sortBy=displayName&sortOrder=descending")).map((user) => user.id)).toEqual(
      ascending.map((user) => user.id).toReversed(),
    );
  });

  test("more than 200 users of a name are too many", async () => {
    const { home } = scim.server.app.ctx;
    home.transaction(() => {
      for (let i = 0; i < 201; i++) home.users.add({ email: `many${i}@many.example`, name: "Many", kind: "person" });
    });
    const { status, body } = await filtered('userName ew "@many.example"');
    expect([status, body.scimType]).toEqual([413, "tooMany"]);
    expect((await filtered('userName ew "@many.example" and displayName pr')).body.totalResults).toBe(201);
  });
});

describe("bulk", () => {
  const run = (operations: unknown[], more: object = {}, as: "owner" | "stranger" = "owner") =>
    scim.call(as, "POST", "/Bulk", { schemas: [URN.bulk], Operations: operations, ...more });

  test("operations refer to the ids of earlier ones, and failures do not stop others", async () => {
    const { status, body } = await run([
      { method: "POST", path: "/Users", bulkId: "u", data: { userName: "bulk@example.com" } },
      { method: "GET", path: "/Users" },
      { method: "POST", path: "/Users", data: { userName: "bulk2@example.com" } },
      {
        method: "POST",
        path: "/Groups",
        bulkId: "g",
        data: { displayName: "Bulk", members: [{ value: "bulkId:u", type: "User" }] },
      },
      { method: "DELETE", path: "/Users/98765" },
      { method: "PUT", path: "/Users", data: {} },
      { method: "POST", path: "/Doors", bulkId: "d", data: {} },
      { method: "POST", path: "/Groups", bulkId: "x", data: { displayName: "X", members: [{ value: "bulkId:none" }] } },
      { path: "/Users" },
      { method: "DELETE", path: "/Users/bulkId:u" },
    ]);
    expect(status).toBe(200);
    const operations = body.Operations as { status: string; location?: string; response?: { scimType?: string } }[];
    expect(operations.map((one) => [one.status, one.response?.scimType])).toEqual([
      ["201", undefined],
      ["400", "invalidValue"],
      ["400", "invalidSyntax"],
      ["201", undefined],
      ["404", undefined],
      ["404", undefined],
      ["400", "invalidValue"],
      ["400", "invalidValue"],
      ["400", "invalidSyntax"],
      ["204", undefined],
    ]);
    expect(operations[0]?.location).toMatch(/^\/api\/scim\/v2\/Users\/\d+$/);
    expect(operations[4]?.location).toBe("/api/scim/v2/Users/98765");
    expect(operations[6]).not.toHaveProperty("location");
  });

  test("failOnErrors ends it", async () => {
    const failing = { method: "DELETE", path: "/Users/98765" };
    expect((await run([failing, failing, failing], { failOnErrors: 2 })).body.Operations).toHaveLength(2);
    expect((await run([failing, failing, failing])).body.Operations).toHaveLength(3);
  });

  test("each operation of others is refused, and nothing changes", async () => {
    const { status, body } = await run(
      [{ method: "POST", path: "/Users", bulkId: "u", data: { userName: "evil@example.com" } }],
      {},
      "stranger",
    );
    expect([status, body.Operations[0].status]).toEqual([200, "403"]);
    expect(scim.server.app.ctx.home.users.byEmail("evil@example.com")).toBeNull();
  });

  test("too many operations or bytes are refused", async () => {
    const one = { method: "DELETE", path: "/Users/98765" };
    expect((await run(Array.from({ length: 1001 }, () => one))).status).toBe(413);
    expect((await run([{ ...one, data: "x".repeat(1_100_000) }])).status).toBe(413);
  });
});
