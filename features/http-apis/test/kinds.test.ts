/** Kinds of the ops of an HTTP API: its method, its path and its words decide. */

import { describe, expect, test } from "vitest";
import { buildProject } from "../../../test/support/generator-host.js";

describe("an HTTP API", () => {
  const of = async (method: string, path: string, operation: object) => {
    const document = { openapi: "3.1.0", info: { title: "a", version: "1" }, servers: [{ url: "https://a.example" }] };
    const { registry } = await buildProject({
      "toolwright.yaml": "use: []\nsources: [{ openapi: a.json, pack: a }]\n",
      "a.json": JSON.stringify({ ...document, paths: { [path]: { [method]: { responses: {}, ...operation } } } }),
    });
    const [tool] = registry?.tools ?? [];
    return tool?.annotations.destructiveHint ? "destructive" : tool?.kind;
  };

  test.each([
    ["post", "/messages", { operationId: "createMessage" }, "write"],
    ["post", "/messages/bulk-delete", { operationId: "postMessages" }, "destructive"],
    ["post", "/messages/bulk-delete", { operationId: "updateMessages" }, "destructive"],
    ["post", "/users/suspend", {}, "destructive"],
    ["post", "/devices/wipe", { operationId: "wipeNetworkSmDevice" }, "destructive"],
    ["post", "/search", { operationId: "searchOrders", summary: "Search orders" }, "read"],
    ["post", "/search", { operationId: "searchOrders" }, "destructive"],
    ["post", "/search", { operationId: "searchOrders", summary: "Starts a search" }, "write"],
    ["post", "/search", { operationId: "SearchOrders", summary: "SearchOrders", description: "Searches." }, "read"],
    ["post", "/getChat", { operationId: "getChat", description: "Use this method to get a chat." }, "read"],
    ["post", "/get", { operationId: "taxFormsGet", summary: "(Deprecated) Retrieve forms" }, "read"],
    ["post", "/lists/cards", { operationId: "addListsArchiveAllCards" }, "destructive"],
    [
      "post",
      "/rules",
      { operationId: "set_rules", summary: "Set rules", description: "Sets them. All others are overwritten." },
      "destructive",
    ],
    ["put", "/batch", { operationId: "BulkSendV2_PutBulkSendAction", summary: "Applies an action" }, "destructive"],
    ["get", "/apps.uninstall", { operationId: "apps_uninstall", summary: "Uninstalls your app." }, "destructive"],
    ["get", "/views.update", { operationId: "views_update", description: "Update an existing view." }, "write"],
    ["get", "/uninstalls", { operationId: "apps_uninstall", summary: "Lists what was uninstalled." }, "read"],
    ["get", "/views.push", { operationId: "views_push", description: "Push a view onto a stack." }, "write"],
    ["get", "/order", { operationId: "order_record", summary: "Order details" }, "read"],
    ["get", "/login", { operationId: "getAccountLogin", summary: "Log the login in" }, "read"],
    ["get", "/export", { operationId: "ContainerExport", summary: "Export a container" }, "read"],
    ["put", "/users", { operationId: "updateUser", summary: "Update a user" }, "write"],
    ["put", "/users", { operationId: "putUser" }, "destructive"],
    ["patch", "/users", { operationId: "patchUser" }, "write"],
    ["delete", "/users", { operationId: "createNothing" }, "destructive"],
  ])("%s %s %j is %s", async (method, path, operation, is) => expect(await of(method, path, operation)).toBe(is));
});
