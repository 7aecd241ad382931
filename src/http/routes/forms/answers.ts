import type { DocumentGrant, UserActor } from "../../../authorization.ts";
import { readFormCookie, serializeFormCookie } from "../../../lib/network/form-cookie.ts";
import { randomHex } from "../../../lib/ids.ts";
import { uploadForAnswer, uploadSession } from "../../../services/forms/form-uploads.ts";
import { addRecordAnswers, type FormCaller, readLinkedRows } from "../../../services/forms/forms.ts";
import { AttachmentIds, UploadAttachments } from "../../../wire/attachments/attachments.ts";
import { AnswerHeaders, LinkedRecords, LinkParams, LinkTableParams } from "../../../wire/forms/forms.ts";
import {
  AddDataBody,
  AddedRecords,
  AddRecordsBody,
  ModifyDataQuery,
  RowIds,
} from "../../../wire/tables/record-writes.ts";
import type { Call } from "../../call.ts";
import { KEY_HEADER, requireValidKey } from "../../idempotency/scope.ts";
import { jsonResponse } from "../../responses.ts";
import { bytesBody, type HandlerInput, route, type Route, uploadBody } from "../../route.ts";
import { incomingAttachmentUpload } from "../../uploads.ts";
import { pageOrigin } from "../second-factor.ts";
import { answerAccess, formLinkAccess } from "./link-access.ts";

const tag = "forms";
const path = "/api/s/{key}/tables/{tableId}";

const REFUSALS = {
  403: "No published form of the link is for this table, the form is closed, or a file was uploaded by another visitor.",
  503: "Too many answers are waiting; nothing was stored. Retry after `Retry-After` seconds.",
};
const ABOUT_ANSWERS =
  "All values are checked as on the form's page: required columns, choices, rows, lengths and types; only columns with a " +
  "question in a published form are accepted. Send an `Idempotency-Key` to add the rows once, however often the request is sent.";

/** Answers to published forms. */
export const answerRoutes: readonly Route[] = [
  route(
    {
      method: "post",
      path: `${path}/records`,
      id: "answerForm",
      tag,
      summary: "Answer a published form",
      about: `${ABOUT_ANSWERS} \`id\` of records is ignored.`,
      access: answerAccess,
      params: LinkTableParams,
      query: ModifyDataQuery,
      headers: AnswerHeaders,
      body: bytesBody(AddRecordsBody),
      idempotency: "ignored",
      response: AddedRecords,
      further: REFUSALS,
    },
    async (input) => jsonResponse({ records: (await add(input, "records")).map((id) => ({ id })) }),
  ),
  route(
    {
      method: "post",
      path: `${path}/data`,
      id: "answerFormWithData",
      tag,
      summary: "Answer a published form in columnar format",
      about: ABOUT_ANSWERS,
      access: answerAccess,
      params: LinkTableParams,
      query: ModifyDataQuery,
      headers: AnswerHeaders,
      body: bytesBody(AddDataBody),
      idempotency: "ignored",
      response: RowIds,
      further: REFUSALS,
    },
    async (input) => jsonResponse(await add(input, "data")),
  ),
  route(
    {
      method: "get",
      path: `${path}/records`,
      id: "listOfferedRecords",
      tag,
      summary: "List the rows that a published form offers",
      about:
        "Of tables that references in published forms of the link refer to: all rows, with the columns that the references " +
        "display. The table of a form itself reads as empty. There are no filters.",
      access: formLinkAccess,
      params: LinkTableParams,
      response: LinkedRecords,
      further: { 403: "No published form of the link refers to this table." },
    },
    async ({ ctx, grant, params }) => jsonResponse({ records: await readLinkedRows(ctx, { grant }, params.tableId) }),
  ),
  route(
    {
      method: "post",
      path: "/api/s/{key}/attachments",
      id: "uploadForAnswer",
      tag,
      summary: "Upload files for an answer",
      about:
        "Only for forms with a column of files. The ids can be used for a day, in answers of the same signed-in user, or with the " +
        "cookie of the response.",
      access: answerAccess,
      params: LinkParams,
      body: uploadBody(UploadAttachments),
      idempotency: "ignored",
      response: AttachmentIds,
      further: REFUSALS,
    },
    async ({ call, ctx, grant }) => {
      const caller = callerOf(call);
      const cookie = readFormCookie(call.request);
      const secret = cookie ?? randomHex(16);
      const session = uploadSession(caller.user, secret) ?? secret;
      const ids = await uploadForAnswer(ctx, { grant }, { upload: incomingAttachmentUpload(call), session, caller });
      const response = jsonResponse(ids);
      if (cookie === null && caller.user === null) {
        const secure = pageOrigin(call).startsWith("https:");
        response.headers.set("Set-Cookie", serializeFormCookie(secret, { secure }));
      }
      return response;
    },
  ),
];

type AnswerInput = HandlerInput<
  { readonly tableId: string },
  { readonly noparse: boolean },
  Uint8Array | null,
  DocumentGrant
>;

function add({ call, ctx, grant, params, query, body }: AnswerInput, kind: "records" | "data") {
  const key = call.request.headers.get(KEY_HEADER);
  if (key !== null) requireValidKey(call);
  const caller = callerOf(call);
  const session = uploadSession(caller.user, readFormCookie(call.request));
  const { noparse } = query;
  return addRecordAnswers(ctx, { grant }, { table: params.tableId, kind, body, noparse, session, key, caller });
}

/** Callers over a link are anonymous: who they are counts only for forms that require to be signed in, and for files. */
function callerOf({ actor, address }: Call): FormCaller {
  const user: UserActor | null = actor.kind === "user" ? actor : null;
  return { address, user };
}
