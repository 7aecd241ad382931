import {
  chooseStore,
  storeChoice,
  externalStores,
  storeKind,
  transferAll,
  transferStatus,
} from "../../services/attachments/attachment-transfers.ts";
import { ExternalStores, StoreChoice, StoreKind, TransferStatus } from "../../wire/attachments/attachment-stores.ts";
import { DocParams } from "../../wire/common/params.ts";
import { documentContentAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const path = "/api/docs/{docId}/attachments";
const tag = "attachments";

/** Routes of attachment storage: internal or external. */
export const attachmentStoreRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/store`,
      id: "describeAttachmentStore",
      tag,
      summary: "Get the store of new attachments",
      about:
        "`internal`: in the document file, large attachments in a folder next to it. `external`: in the server's bucket.",
      access: documentContentAccess("viewers"),
      params: DocParams,
      response: StoreKind,
    },
    async ({ ctx, grant }) => jsonResponse(await storeKind(ctx, grant)),
  ),
  route(
    {
      method: "post",
      path: `${path}/store`,
      id: "chooseAttachmentStore",
      tag,
      summary: "Set the store of new attachments",
      about: "Existing attachments stay in their store until you call `transferAll`.",
      access: documentContentAccess("owners"),
      params: DocParams,
      body: jsonBody(StoreKind),
      idempotency: { answerOf: ({ body }) => storeChoice(body) },
      response: StoreChoice,
    },
    async ({ ctx, grant, body }) => jsonResponse(await chooseStore(ctx, grant, body)),
  ),
  route(
    {
      method: "get",
      path: `${path}/stores`,
      id: "listAttachmentStores",
      tag,
      summary: "List the external stores of the server",
      access: documentContentAccess("owners"),
      params: DocParams,
      response: ExternalStores,
    },
    ({ ctx }) => jsonResponse(externalStores(ctx)),
  ),
  route(
    {
      method: "post",
      path: `${path}/transferAll`,
      id: "transferAttachments",
      tag,
      summary: "Transfer all attachments to the current store",
      about: "Starts the transfer and returns its status. Attachments stay readable during the transfer.",
      access: documentContentAccess("owners"),
      params: DocParams,
      response: TransferStatus,
    },
    async ({ ctx, grant }) => jsonResponse(await transferAll(ctx, grant)),
  ),
  route(
    {
      method: "get",
      path: `${path}/transferStatus`,
      id: "describeAttachmentTransfer",
      tag,
      summary: "Get the status of the attachment transfer",
      access: documentContentAccess("viewers"),
      params: DocParams,
      response: TransferStatus,
    },
    async ({ ctx, grant }) => jsonResponse(await transferStatus(ctx, grant)),
  ),
];
