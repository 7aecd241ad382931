/**
 * Checks that pages of every document in a folder show what the file stores, and that their scripts report no problem.
 * QUERN_TEST_FIXTURES names the folder of documents (`.grist`); without it there is nothing to test.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ViewPageData } from "../../../src/web/base/views/view-page-data.ts";
import { createDocumentFixture, type DocumentFixture } from "../../helpers/request-steps.ts";
import { ADA, adasApp } from "../visitor.ts";
import { CHROMIUM, inBrowser, type Visit } from "../browser.ts";
import { call, listed } from "../calls.ts";
import { eachStory } from "../scene.ts";
import { drawBoxes, drawTree } from "./drawing.ts";
import { columnsOf, openPage, viewOf } from "./paper.ts";
import { type StoredPage, storedPages, type StoredSection } from "./stored-page.ts";

const folder = process.env["QUERN_TEST_FIXTURES"];
const documents = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".grist"));

const fileOf = (name: string) => new File([new Uint8Array(readFileSync(join(folder ?? "", name)))], name);

describe("the pages of a file", () => {
  let server: Awaited<ReturnType<typeof adasApp>>;
  let place: DocumentFixture;
  const counts = { pages: 0, sections: 0, columns: 0 };
  beforeAll(async () => {
    server = await adasApp();
    place = await createDocumentFixture(server);
  });
  afterAll(async () => {
    if (folder !== undefined) console.log("Pages of files:", JSON.stringify(counts));
    await server[Symbol.asyncDispose]();
  });

  test.skipIf(folder === undefined)("the folder has documents (skipped without QUERN_TEST_FIXTURES)", () => {
    expect(documents).not.toEqual([]);
  });

  test.each(documents)(
    "%s",
    async (name) => {
      const form = new FormData();
      form.append("upload", fileOf(name));
      const { body } = await server.call("owner", "POST", `${place.shelf}/import`, undefined, { raw: form });
      const uuid = String(body.id);
      await server.must("PATCH", `/o/docs/api/docs/${uuid}/access`, { delta: { users: { [ADA.email]: "owners" } } });
      const pages = await readPages(uuid);
      for (const page of pages) {
        const { status, html, data } = await openPage(server.ada, uuid, page.view);
        expect([page.view, status]).toEqual([page.view, 200]);
        expect(shownSections(data)).toEqual(page.sections);
        expect({ view: page.view, ...(await drawBoxes(html, "number")) }).toEqual({
          view: page.view,
          boxes: html.includes('id="view-boxes"') ? page.boxes : "",
          tray: [...page.tray],
        });
        if (!html.includes('id="view-boxes"')) expect(html).toContain(`data-only="${page.sections[0]?.ref}"`);
        counts.pages++;
        counts.sections += page.sections.length;
        counts.columns += page.sections.reduce((sum, { columns }) => sum + columns.length, 0);
      }
      const [first] = pages;
      if (!first) return;
      const { html } = await openPage(server.ada, uuid, first.view);
      const entries = (await drawTree(html)).map((entry) => entry.replace(/^-+/, "").replace(/[…*]+$/, ""));
      expect(entries).toEqual(
        pages.map((page) => page.name).filter((title) => title !== "" && !/^GristDoc(?:Tour|Tutorial)$/.test(title)),
      );
    },
    60_000,
  );

  async function readPages(uuid: string): Promise<StoredPage[]> {
    const request = new Request(`http://quern.test/api/docs/${uuid}/download`, {
      headers: { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}` },
    });
    const response = await server.app.handle(request);
    expect(response.status).toBe(200);
    using db = Database.deserialize(new Uint8Array(await response.arrayBuffer()), { readonly: true });
    return storedPages(db);
  }
});

function shownSections(data: ViewPageData): readonly StoredSection[] {
  return data.sections.map(({ ref, kind, title }) => ({
    ref,
    kind,
    title,
    columns: columnsOf(data, ref),
    sort: viewOf(data, ref).state.sort.map(
      ({ columnId, isDescending, flags = [] }) =>
        `${isDescending ? "-" : ""}${columnId}${flags.length > 0 ? `:${flags.join(";")}` : ""}`,
    ),
  }));
}

/** With sections of several kinds, links, summaries, and many pages. */
const IN_BROWSER = ["World.grist", "Landlord.grist", "Favorite_Films.grist", "Pages.grist", "FilmsWithImages.grist"];

describe.skipIf(!CHROMIUM)(inBrowser("the pages of a file, in the browser"), () => {
  let ada: Visit;
  eachStory((story) => {
    ({ ada } = story);
  });

  test.each(documents.filter((name) => IN_BROWSER.includes(name)))(
    "%s reports no problem",
    async (name) => {
      const [home] = await listed(ada);
      const upload = {
        name,
        mimeType: "application/octet-stream",
        buffer: Buffer.from(await fileOf(name).arrayBuffer()),
      };
      const response = await ada.context.request.post(`/api/workspaces/${home?.id}/import`, {
        headers: { "X-Requested-With": "XMLHttpRequest" },
        multipart: { upload },
      });
      const { id } = (await response.json()) as { id: string };
      const { records } = await call<{ records: { fields: { viewRef: number } }[] }>(
        ada,
        "GET",
        `/api/docs/${id}/tables/_grist_Pages/records`,
      );
      for (const { fields } of records) {
        await ada.page.goto(`/docs/${id}/pages/${fields.viewRef}`);
        await ada.page.locator("#view .grid, #view .cards, #view .placeholder, #view .empty").first().waitFor();
        await ada.page.waitForLoadState("networkidle");
        expect([fields.viewRef, ...ada.problems, ...ada.refusals]).toEqual([fields.viewRef]);
      }
    },
    120_000,
  );
});
