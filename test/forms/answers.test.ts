/** Tests of answers to published forms by the API. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { addForm, columnRefs, formScene, type Scene, SIGNUP_COLUMNS } from "./scene.ts";

const COLUMNS = [
  ...SIGNUP_COLUMNS,
  { id: "Tag", fields: { type: "Text", isFormula: false, formula: "'new ' + $Name" } },
  { id: "Loud", fields: { type: "Text", isFormula: true, formula: "$Name.upper()" } },
  { id: "Files", fields: { type: "Attachments" } },
];

let server: TestApp;
let scene: Scene;
beforeAll(async () => {
  server = await testApp();
});
beforeEach(async () => {
  scene = await formScene(server, { columns: COLUMNS });
});
afterAll(() => server[Symbol.asyncDispose]());

const over = (as: Caller, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.call(as, method, `/api/s/${scene.key}/${path}`, body, { headers });

const answer = (fields: object, as: Caller = "anon", headers: Record<string, string> = {}) =>
  over(as, "POST", "tables/Signup/records", { records: [{ fields }] }, headers);

async function stored(): Promise<Record<string, unknown>[]> {
  const { records } = await server.must<{ records: { id: number; fields: Record<string, unknown> }[] }>(
    "GET",
    `/api/docs/${scene.doc}/tables/Signup/records`,
  );
  return records.map(({ id, fields }) => ({ id, ...fields }));
}

describe("an answer", () => {
  test("is stored as texts of other requests are, with defaults and trigger formulas", async () => {
    const reply = await answer({ Name: "Ann", Age: "31", Size: "M", Team: "Blue" });
    expect([reply.status, reply.body]).toEqual([200, { records: [{ id: 1 }] }]);
    expect(await stored()).toMatchObject([{ Name: "Ann", Age: 31, Size: "M", Team: 3, Tag: "new Ann", Loud: "ANN" }]);
    expect((await over("anon", "POST", "tables/Signup/data", { Name: ["Ben", "Cem"] })).body).toEqual([2, 3]);
  });

  test("gives trigger formulas the user of the link, and all others no share", async () => {
    const formula = "'%s %s %s' % (user.ShareRef, user.Access, user.IsLoggedIn)";
    await scene.apply(["ModifyColumn", "Signup", "Tag", { formula }]);
    expect((await answer({ Name: "Ann" }, "owner")).status).toBe(200);
    await scene.apply(["AddRecord", "Signup", null, { Name: "Ben" }]);
    const tags = (await stored()).map(({ Tag }) => Tag);
    expect(tags).toEqual([`${scene.share} editors False`, "None owners True"]);
  });

  test("is anonymous, also from the owner", async () => {
    expect((await answer({ Name: "Ann" }, "owner")).status).toBe(200);
    const { states } = await server.must<{ states: object[] }>("GET", `/api/docs/${scene.doc}/history`);
    expect(JSON.stringify(states[0])).not.toContain("olga");
  });

  test("with a wrong key is refused", async () => {
    expect((await answer({ Name: "Ann" }, "badkey")).status).toBe(401);
  });

  test("with the same Idempotency-Key is stored once, and with another body again", async () => {
    const headers = { "Idempotency-Key": "a" };
    const first = await answer({ Name: "Ann" }, "anon", headers);
    expect((await answer({ Name: "Ann" }, "anon", headers)).body).toEqual(first.body);
    expect((await answer({ Name: "Bea" }, "anon", headers)).body).toEqual({ records: [{ id: 2 }] });
    expect(await stored()).toHaveLength(2);
    // Refusals are not kept: the form may have changed.
    expect((await answer({ Size: "XXL" }, "anon", headers)).status).toBe(400);
    await scene.setOptions("Size", { choices: ["XXL"] });
    expect((await answer({ Size: "XXL" }, "anon", headers)).status).toBe(200);
    await scene.setForm({ closesAt: "2001-01-01T00:00:00Z" });
    expect((await answer({ Name: "Cid" }, "anon", headers)).status).toBe(403);
    await scene.setForm({});
    expect((await answer({ Name: "Cid" }, "anon", headers)).status).toBe(200);
  });

  test("is refused for columns that no published form asks for, whether or not they exist", async () => {
    const fields = await scene.fields();
    await scene.apply(["RemoveRecord", "_grist_Views_section_field", fields["Age"]]);
    for (const name of ["Age", "Loud", "Nope", "manualSort", "id", "__proto__", "gristHelper_Display", ""]) {
      const reply = await over("anon", "POST", "tables/Signup/records", {
        records: [{ fields: JSON.parse(`{${JSON.stringify(name)}: 1}`) as object }],
      });
      expect([name, reply.status, reply.body.error]).toEqual([name, 400, "Some answers are missing or not allowed"]);
      expect(reply.body.details.fields[name].code).toBe("not_asked");
    }
    expect(await stored()).toEqual([]);
  });

  test("is for the tables of published forms; other tables are closed, whether or not they exist", async () => {
    const refusals = [];
    for (const table of ["Teams", "Table1", "Nope", "_grist_Tables", "1", "99"]) {
      for (const kind of ["records", "data"]) {
        const body = kind === "records" ? { records: [{ fields: {} }] } : { A: [1] };
        const reply = await over("anon", "POST", `tables/${table}/${kind}`, body);
        refusals.push(JSON.stringify([reply.status, reply.body]));
      }
    }
    expect(new Set(refusals).size).toBe(1);
    expect(refusals[0]).toContain("[403,");
  });

  test("is checked by the form of the table that accepts it", async () => {
    const { section, view } = await addForm(scene, (await columnRefs(server, scene.doc))["Signup"] ?? 0);
    const { records } = await server.must<{ records: { id: number }[] }>(
      "GET",
      `/api/docs/${scene.doc}/tables/_grist_Pages/records?filter=${encodeURIComponent(JSON.stringify({ viewRef: [view] }))}`,
    );
    await scene.setOptions("Name", { formRequired: true });
    expect((await answer({ Age: 3 })).status).toBe(400);
    await scene.apply(["UpdateRecord", "_grist_Pages", records[0]?.id, { shareRef: scene.share }]);
    expect((await answer({ Age: 3 })).status).toBe(400);
    const shareOptions = '{"form":true,"publish":true}';
    await scene.apply(["UpdateRecord", "_grist_Views_section", section, { shareOptions }]);
    expect((await answer({ Age: 3 })).status).toBe(200);
  });

  test("is refused when the form is not published, and accepted again", async () => {
    await scene.apply(["UpdateRecord", "_grist_Shares", scene.share, { options: '{"publish":false}' }]);
    expect((await answer({ Name: "Ann" })).status).toBe(403);
    expect((await over("anon", "GET", `forms/${scene.section}`)).body.details.code).toBe("form.not_published");
    await scene.apply(["UpdateRecord", "_grist_Shares", scene.share, { options: '{"publish":true}' }]);
    expect((await answer({ Name: "Ann" })).status).toBe(200);
    await scene.apply(["RemoveRecord", "_grist_Shares", scene.share]);
    expect((await answer({ Name: "Ann" })).status).toBe(404);
  });

  test("that cannot be stored is refused without the reason, which is about the document", async () => {
    const refs = await columnRefs(server, scene.doc);
    const [made] = (await scene.apply([
      "CreateViewSection",
      refs["Signup"],
      0,
      "form",
      [refs["Signup.Size"]],
      null,
    ])) as [{ sectionRef: number; viewRef: number }];
    const { records } = await server.must<{ records: { id: number; fields: { viewRef: number } }[] }>(
      "GET",
      `/api/docs/${scene.doc}/tables/_grist_Pages/records`,
    );
    const page = records.find(({ fields }) => fields.viewRef === made.viewRef);
    await scene.apply(
      ["UpdateRecord", "_grist_Pages", page?.id, { shareRef: scene.share }],
      ["UpdateRecord", "_grist_Views_section", made.sectionRef, { shareOptions: '{"form":true,"publish":true}' }],
    );
    const body = { records: [{ fields: { Size: "S" } }] };
    const reply = await over("anon", "POST", "tables/Signup_summary_Size/records", body);
    expect([reply.status, reply.body]).toEqual([
      400,
      { error: "The answer cannot be stored", details: { code: "form.answer_refused" } },
    ]);
  });

  test("is refused in the trash", async () => {
    await server.must("POST", `/api/docs/${scene.doc}/remove`);
    expect((await answer({ Name: "Ann" })).status).toBe(404);
  });
});

describe("the settings of a form", () => {
  test("limit the number of answers, also of one request", async () => {
    await scene.setForm({ maxAnswers: 3 });
    const two = { records: [{ fields: { Name: "a" } }, { fields: { Name: "b" } }] };
    expect((await over("anon", "POST", "tables/Signup/records", two)).status).toBe(200);
    expect((await over("anon", "POST", "tables/Signup/records", two)).body.details.code).toBe("form.closed");
    expect((await answer({ Name: "c" })).status).toBe(200);
    expect((await answer({ Name: "d" })).body.details.code).toBe("form.closed");
    expect((await over("anon", "GET", `forms/${scene.section}`)).body.details.code).toBe("form.closed");
    // Rows of members do not count, and removed ones do.
    await scene.setForm({ maxAnswers: 4 });
    await scene.apply(["AddRecord", "Signup", null, {}], ["RemoveRecord", "Signup", 1]);
    expect((await answer({ Name: "e" })).status).toBe(200);
    expect((await answer({ Name: "f" })).status).toBe(403);
  });

  test("require to be signed in", async () => {
    await scene.setForm({ signIn: true });
    const refused = await answer({ Name: "Ann" });
    expect([refused.status, refused.body.details.code]).toEqual([401, "form.sign_in"]);
    expect((await answer({ Name: "Ann" }, "stranger")).status).toBe(200);
  });
});

describe("files", () => {
  // New forms ask for no files.
  beforeEach(async () => {
    const colRef = (await columnRefs(server, scene.doc))["Signup.Files"];
    await scene.apply(["AddRecord", "_grist_Views_section_field", null, { parentId: scene.section, colRef }]);
  });

  const upload = (headers: Record<string, string> = {}, as: Caller = "anon") => {
    const raw = new FormData();
    raw.append("upload", new File(["hello"], "a.txt"));
    return server.call(as, "POST", `/api/s/${scene.key}/attachments`, undefined, { raw, headers });
  };
  const cookieOf = ({ headers }: { headers: Headers }) => ({ Cookie: headers.get("set-cookie")?.split(";")[0] ?? "" });

  test("are used by the visitor who uploaded them, and by no other", async () => {
    const uploaded = await upload();
    expect(uploaded.status).toBe(200);
    const [id] = uploaded.body as [number];
    const cookie = cookieOf(uploaded);
    for (const headers of [{}, cookieOf(await upload()), { Cookie: "quern_form=x" }]) {
      const refused = await answer({ Files: `[${id}]` }, "anon", headers);
      expect([refused.status, refused.body.details.code]).toEqual([403, "form.file"]);
    }
    expect((await answer({ Files: ["L", id] }, "stranger")).status).toBe(403);
    expect((await answer({ Files: `[${id}]` }, "anon", cookie)).status).toBe(200);
    expect(await stored()).toMatchObject([{ Files: ["L", id] }]);
  });

  test("of signed-in users belong to their account", async () => {
    const { body } = await upload({}, "stranger");
    expect((await answer({ Files: ["L", ...body] }, "viewer")).status).toBe(403);
    expect((await answer({ Files: ["L", ...body] }, "stranger")).status).toBe(200);
  });

  test("of members cannot be named, even where their id is used again", async () => {
    const uploaded = await upload();
    const [id] = uploaded.body as [number];
    await server.must("POST", `/api/docs/${scene.doc}/attachments/removeUnused`);
    const raw = new FormData();
    raw.append("upload", new File(["secret"], "s.txt"));
    const again = await server.call("owner", "POST", `/api/docs/${scene.doc}/attachments`, undefined, { raw });
    expect(again.body).toEqual([id]);
    expect((await answer({ Files: ["L", id] }, "anon", cookieOf(uploaded))).status).toBe(403);
  });

  test("are refused where no form asks for files", async () => {
    const fields = await scene.fields();
    await scene.apply(["RemoveRecord", "_grist_Views_section_field", fields["Files"]]);
    expect((await upload()).body.details.code).toBe("form.link_only");
  });
});

test("tables over a link: offered rows, an empty form, and nothing else", async () => {
  await answer({ Name: "Secret" });
  expect((await over("anon", "GET", "tables/Signup/records")).body).toEqual({ records: [] });
  const teams = await over("owner", "GET", 'tables/Teams/records?filter={"Code":["r3"]}');
  expect(teams.body.records).toEqual([
    { id: 1, fields: { Title: "Red" } },
    { id: 2, fields: { Title: "" } },
    { id: 3, fields: { Title: "Blue" } },
  ]);
  for (const path of ["tables/Table1/records", "tables/Nope/records", "tables/_grist_Tables/records"]) {
    expect([path, (await over("anon", "GET", path)).status]).toEqual([path, 403]);
  }
});
