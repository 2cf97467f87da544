/** The deciding word of a name: every style, every position of the verb, nouns that look like verbs. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capital, nameWords } from "../../../generator/core/names.js";
import { verbIn, withArguments } from "../../../generator/pass/verb-of.js";
import { VOCABULARY, verbs } from "../../../generator/pass/verbs.js";
import { runs } from "../../support/random.js";

const builtIn = verbs();
const kind = (name: string, pack = ""): string => verbIn(name, builtIn, pack)?.verb.kind ?? "unknown";
const kinds = (table: Readonly<Record<string, string>>, pack = ""): void =>
  expect(Object.fromEntries(Object.keys(table).map((name) => [name, kind(name, pack)]))).toEqual(table);

describe("where the verb stands", () => {
  test("first, in any style", () =>
    kinds({
      get_user: "read",
      "get-user": "read",
      getUser: "read",
      GetUser: "read",
      GET_USER: "read",
      "get.user": "read",
      "get user": "read",
      getHTTPHeaders: "read",
      deleteUser2: "write",
      "Delete-User": "write",
    }));

  test("behind a prefix", () =>
    kinds({
      jira_ls_projects: "read",
      "notion-create-pages": "write",
      "API-retrieve-a-block": "read",
      mcp__github__get_issue: "read",
      browser_take_screenshot: "read",
      v2_getUsers: "read",
      hosting_listWebsiteOrdersV1: "read",
      slack_post_message: "write",
      email_set_read: "write",
      email_mark_as_read: "write",
    }));

  test("behind a group", () =>
    kinds({
      Connect_GetConnectUsers: "read",
      ConnectLog_GetConnectLogs: "read",
      EnvelopePurge_GetConfiguration: "read",
      BulkSendV2_ListBatches: "read",
      Orders_DeleteOrder: "write",
      Delete_ListItems: "write",
      Remove_CacheEntry: "write",
    }));

  test("last, before a version or a preposition", () =>
    kinds({
      aws_s3_bucket_list: "read",
      "repos/list": "read",
      "users.delete": "write",
      users_search_by_name: "read",
      issue_read: "read",
      issue_delete_v2: "write",
      user_list_delete_tool: "write",
      category_search_tool: "read",
      fileshares_snapshot_create: "write",
    }));
});

describe("two that may be verbs", () => {
  test("a write that ends the name, or is joined, beats a reader", () =>
    kinds({
      user_list_delete: "write",
      user_list_delete_all: "write",
      search_index_create: "write",
      compute_disk_delete: "write",
      pull_request_review_write: "write",
      read_write: "write",
      find_replace: "write",
      list_update: "write",
      check_run: "write",
      find_and_remove: "write",
      find_all_items_and_tag_them: "write",
      createOrFindTags: "write",
      get_or_create_label: "write",
      list_then_purge: "write",
      run_and_get: "write",
    }));

  test("a reader that leads beats nouns that look like writes", () =>
    kinds({
      get_post: "read",
      get_set: "read",
      get_last_commit: "read",
      getWorkspaceUpdate: "read",
      "API-retrieve-a-comment": "read",
      listPrivateNetworkAddRequests: "read",
      search_post: "read",
      show_create_view: "read",
    }));

  test("a write that leads beats nouns that look like readers", () =>
    kinds({
      delete_list: "write",
      update_post: "write",
      archive_list: "write",
      empty_list: "write",
      new_search: "write",
      run_list: "write",
      run_query: "write",
      clear_search: "write",
      order_status: "write",
      send_get_request: "write",
    }));

  test("a write that may be a noun gives way to a sure verb", () =>
    kinds({
      order_get: "read",
      change_request_get: "read",
      deploy_app_logs_get: "read",
      comment_fetch_all: "read",
      pull_request_read: "read",
      message_log_get: "read",
    }));

  test("the surest write gives the hints", () => {
    expect(verbIn("comment_delete", builtIn)?.verb).toMatchObject({ kind: "write", idempotent: true });
    expect(verbIn("user_list_delete", builtIn)?.word).toBe("delete");
  });

  test("alone, a noun that is also a verb is that verb", () =>
    kinds({
      comment: "write",
      tag: "write",
      link: "write",
      import: "write",
      test: "write",
      order: "write",
      query: "read",
    }));
});

describe("forms and phrases", () => {
  test("of verbs that nothing else follows", () =>
    kinds({
      lists_tasks: "read",
      searches: "read",
      searching: "read",
      getting_users: "read",
      deletes_task: "write",
      creating: "write",
      scraping_browser_go_back: "unknown",
      scraping_browser_type_text: "unknown",
    }));

  test("abbreviations", () =>
    kinds({ ls: "read", desc_table: "read", rm_file: "write", del_key: "write", mkdir: "write" }));

  test("again and back", () =>
    kinds({
      republish_page: "write",
      unpublish_page: "write",
      resend_mail: "write",
      resource: "unknown",
      unit: "unknown",
    }));

  test("what takes a verb back is a write, also in front of a word that reads", () =>
    kinds({
      defriend_list: "write",
      deselect_list: "write",
      disapprove_list: "write",
      unfollow_list: "write",
      depublish_page: "write",
      device_list: "read",
      design_list: "read",
      discount_list: "read",
      detail_list: "read",
      unread_list: "read",
    }));

  test("questions read; check in and check out check nothing", () =>
    kinds({ is_member: "read", has_access: "read", check_stock: "read", check_in_guest: "write", checkOut: "write" }));

  test("a query may write where its language does, by the name or by the pack", () => {
    kinds({ query_docs: "read", mysql_query: "write", query_database: "write", "d1-query": "write" });
    expect([kind("query", "postgres"), kind("query", "docs")]).toEqual(["write", "read"]);
  });

  test("to generate a picture reads, to generate anything else writes", () =>
    kinds({ generate_pie_chart: "read", generateKey: "write", generate_chart_data_source: "write" }));
});

describe("what is not known", () => {
  test("stays unknown: other words, merged words, other languages, other alphabets", () =>
    kinds({
      frobnicate: "unknown",
      getlist: "unknown",
      crear_usuario: "unknown",
      löschen_liste: "unknown",
      удалить_list: "unknown",
      "d\u0435lete_list": "unknown",
      一覧: "unknown",
      "": "unknown",
      "123": "unknown",
    }));

  test("a noun that tells of something reads, unless it may be the object of an unknown verb", () =>
    kinds({
      queue_details: "read",
      "db-stats": "read",
      status: "unknown",
      plant_tree: "write",
      frobnicate_details: "unknown",
      sanitise_metadata: "unknown",
      build_status: "write",
      clearing_logs: "write",
    }));
});

describe("the pack", () => {
  test("its words in front are a prefix, unless one is most likely a verb or nothing is left", () => {
    expect([kind("post_list"), kind("post_list", "post")]).toEqual(["write", "read"]);
    expect(kind("delete_list", "delete_tools")).toBe("write");
    expect(kind("search_docs", "search")).toBe("read");
    expect(kind("build_run", "build")).toBe("write");
  });
});

describe("configured verbs", () => {
  test("have their configured kind: no rule overrides them", () => {
    const own = verbs({
      Query: "read",
      generate: "write",
      ponder: "read",
      list: "write",
      is: "write",
      status: "write",
    });
    const said = (name: string) => verbIn(name, own)?.verb.kind;
    expect(["mysql_query", "generate_chart", "ponder_a", "list_a", "is_a", "queue_status"].map(said)).toEqual([
      "read",
      "write",
      "read",
      "write",
      "write",
      "write",
    ]);
  });
});

describe("why", () => {
  test.each([
    ["list_tasks", "verb list"],
    ["browser_list_tabs", "verb list, the second word, behind browser"],
    ["user_list_delete", "verb delete, the last word, outweighs list"],
    ["find_and_remove", "verb remove, behind and"],
    ["mysql_query", "verb query, the last word, behind mysql: mysql may write"],
    ["queue_details", "no verb, but details of something"],
    ["lists_tasks", "verb list, in lists"],
    ["is_member", "is asks"],
    ["generate_chart", "verb generate: a chart is only given"],
    ["check_in_guest", "verb check in"],
    ["checkOut", "verb check out"],
    ["generate_bar_histogram", "verb generate: a histogram is only given"],
    ["render_chart", "verb render: a chart is only given"],
    ["queue_order_update_x", "verb update, the third word, outweighs order"],
    ["find_create_a", "verb create, beside find"],
    ["acme_cloud_list_tabs", "verb list, the third word, behind acme cloud"],
    ["a_b_c_d_e_f_g_h_i_list_x", "verb list, the 10th word, behind a b c d e f g h i"],
    ["getting_users", "verb get, in getting"],
    ["creating", "verb create, in creating"],
    ["copies_file", "verb copy, in copies"],
    ["API__list_tabs", "verb list, the second word, behind api"],
    ["hosting_listWebsites", "verb list, the second word, behind hosting"],
    ["pull_requests_list_x", "verb list, the third word, behind pull requests"],
  ])("the verb of %s is given with its reason: %s", (name, because) =>
    expect(verbIn(name, builtIn)?.because).toBe(because),
  );
});

const named = (name: string) => ({ name, values: [] });

describe("which word", () => {
  test.each([
    ["merge_pdf", "merge"],
    ["merge_subrequests", "merge"],
    ["list_requests", "list"],
    ["order_listItems", "list"],
    ["browser_get_create_form", "get"],
    ["move_get_item_now", "move"],
    ["order_item_get_now", "order"],
    ["order_item_get", "get"],
    ["lists_delete", "delete"],
    ["submitting_form", "submit"],
    ["pdf-reader", "reader"],
    ["delete-reader", "delete"],
    ["reader", undefined],
    ["prepublish_page", undefined],
  ])("of %s: %s", (name, word) => expect(verbIn(name, builtIn)?.word).toBe(word));

  test("of a name that is all prefix", () => expect(verbIn("post_x", builtIn, "post")?.word).toBe("post"));

  test.each(["check_in_guest", "is_member", "generate_chart", "find_create_a", "getting_users", "list_tasks"])(
    "of %s is a verb",
    (name) => expect(verbIn(name, builtIn)?.by).toBe("verb"),
  );

  test("of a download depends on the arguments, unless its kind is configured", () => {
    const found = verbIn("download_a", builtIn);
    expect(withArguments(found, ["query", "savePath"].map(named), builtIn)).toEqual({
      ...found,
      verb: { kind: "write", grade: "sure" },
      because: "verb download: argument savePath may say where it is stored",
    });
    expect(withArguments(found, ["query"].map(named), builtIn)).toBe(found);
    expect(withArguments(verbIn("get_a", builtIn), ["path"].map(named), builtIn)?.verb.kind).toBe("read");
    expect(
      withArguments(verbIn("download_a", verbs({ download: "read" })), ["path"].map(named), builtIn)?.verb.kind,
    ).toBe("read");
    expect(withArguments(undefined, ["path"].map(named), builtIn)).toBeUndefined();
  });
});

describe("the vocabulary", () => {
  test.each([
    ["predict grep identify transcribe wait", { kind: "read", grade: "sure", idempotent: true }],
    ["ask visit", { kind: "read", grade: "likely", idempotent: true }],
    ["audit whois reason", { kind: "read", grade: "either", idempotent: true }],
    [
      "abort approve cancel create dequeue encrypt flush inflate login obfuscate propose remember revoke switch uninstall",
      { kind: "write", grade: "sure" },
    ],
    ["archive deploy manage schedule touch", { kind: "write", grade: "likely" }],
    ["alert crawl import plant resume transfer", { kind: "write", grade: "either" }],
    ["enable upsert", { kind: "write", grade: "sure", idempotent: true }],
    ["move set update", { kind: "write", grade: "likely", idempotent: true }],
    ["link", { kind: "write", grade: "either", idempotent: true }],
    ["unlink reorganize", { kind: "write", grade: "sure" }],
    ["delete wipe rm", { kind: "write", grade: "sure", idempotent: true }],
    ["drop prune", { kind: "write", grade: "likely", idempotent: true }],
  ])("says of each of these verbs what it does: %s", (words, verb) => {
    for (const word of words.split(" ")) expect([word, builtIn.get(word)]).toEqual([word, verb]);
  });

  test.each(["bigquery", "d1", "snowflake", "sqlite"])("a query of %s may write", (language) =>
    expect(kind(`${language}_query`)).toBe("write"),
  );

  test.each(["activity", "history", "metrics", "overview", "weather"])("%s tells of something", (noun) =>
    expect(kind(`acme_${noun}`)).toBe("read"),
  );

  test("is sorted, and says one thing about a word", () => {
    const rows = VOCABULARY.map(([, , words]) => words.split(" "));
    for (const row of rows) expect(row).toEqual([...row].sort());
    expect(new Set(rows.flat()).size).toBe(rows.flat().length);
  });
});

describe("any name", () => {
  const word = fc.oneof(
    fc.constantFrom(...builtIn.keys(), "and", "by", "user", "details"),
    fc.stringMatching(/^[a-z]{2,8}$/),
  );
  const words = fc.array(word, { minLength: 1, maxLength: 6 });

  test("is read without an error, and within a bound", { tags: "full" }, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, pack) => {
        const found = verbIn(name, builtIn, pack);
        expect(found === undefined || ["read", "write"].includes(found.verb.kind)).toBe(true);
      }),
      runs(2000),
    );
    for (const long of ["A", "a", "_", "Aa", "get_", "1"]) verbIn(long.repeat(100_000), builtIn, long.repeat(100));
  });

  test("is of the same kind in every style", () => {
    fc.assert(
      fc.property(words, fc.option(word, { nil: "" }), (all, pack) => {
        const camel = all.map((one, i) => (i === 0 ? one : capital(one))).join("");
        const styles = [
          all.join("_"),
          all.join("-"),
          all.join("."),
          camel,
          capital(camel),
          all.join("_").toUpperCase(),
        ];
        expect(new Set(styles.map((name) => kind(name, pack))).size).toBe(1);
        expect(nameWords(camel)).toEqual(all);
      }),
      runs(3000),
    );
  });

  test("that begins with a sure write is one, whatever follows", () => {
    const sure = [...builtIn].flatMap(([one, verb]) => (verb.kind === "write" && verb.grade === "sure" ? [one] : []));
    fc.assert(
      fc.property(fc.constantFrom(...sure), words, fc.option(word, { nil: "" }), (first, rest, pack) => {
        const name = [first, ...rest].join("_");
        fc.pre(!/^(?:generate|render)_/.test(name));
        expect(kind(name, pack)).toBe("write");
      }),
      runs(2000),
    );
  });
});
